// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibrate.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

using decision::SpeedupRow;
using decision::WeightForm;

/// A row of measurements.csv: a time of some layers that are alike.
struct Timed {
    std::string group, target, name, op, form, quantity, condition, source;
    std::uint64_t kernelWidth = 1, kernelHeight = 1, inputs = 1, outputs = 1;
    std::uint64_t width = 1, height = 1, layers = 1, engines = 1;
    double seconds = 0;
};

/// A count that is 1 where the table has none.
auto count(std::uint64_t Timed::*member)
{
    return [member](Timed &row, std::string_view cell) {
        tables::readCell(cell, row.*member);
        row.*member = std::max<std::uint64_t>(1, row.*member);
    };
}

std::vector<Timed> readTimed()
{
    return tables::loadRows<Timed>("measurements", {{"group", &Timed::group},
                                                    {"target", &Timed::target},
                                                    {"name", &Timed::name},
                                                    {"op", &Timed::op},
                                                    {"form", &Timed::form},
                                                    {"quantity", &Timed::quantity},
                                                    {"condition", &Timed::condition},
                                                    {"source", &Timed::source},
                                                    {"kernel_w", count(&Timed::kernelWidth)},
                                                    {"kernel_h", count(&Timed::kernelHeight)},
                                                    {"inputs", count(&Timed::inputs)},
                                                    {"outputs", count(&Timed::outputs)},
                                                    {"width", count(&Timed::width)},
                                                    {"height", count(&Timed::height)},
                                                    {"layers", count(&Timed::layers)},
                                                    {"engines", count(&Timed::engines)},
                                                    {"value_s", &Timed::seconds}});
}

const std::vector<Timed> &timedRows()
{
    static const std::vector<Timed> rows = readTimed();
    return rows;
}

/// A layer within a chain: its activations stay on chip, its weight crosses.
Layer chained(const Timed &row)
{
    Layer layer;
    layer.op = row.op;
    layer.outputChannels = row.outputs;
    layer.form.elements = row.kernelWidth * row.kernelHeight * row.inputs * row.outputs;
    layer.form.storedBytes = layer.form.denseBytes = 2 * layer.form.elements;
    layer.form.use = {true, false, std::nullopt, true, true};
    layer.flops = 2 * layer.form.elements * row.width * row.height;
    layer.inputBytes = layer.outputBytes = 0;
    return layer;
}

/// "int8", "palette4", "sparse75", "sparse32" (percent of zeros), "sparse50+palette4", "w8a8".
std::optional<WeightForm> formNamed(const Layer &layer, std::string_view name)
{
    WeightForm facts = layer.form;
    if (name == "dense" || name == "w8a8")
        return name == "dense" ? std::optional(facts) : std::nullopt;
    if (name.ends_with(" grouped"))
        name.remove_suffix(8);
    if (name.starts_with("sparse")) {
        const std::string_view digits = name.substr(6, 2);
        facts.density = 1 - static_cast<double>(parseInteger(digits).value_or(63)) / 100;
        if (name.size() > 8 && name[8] == '+') {
            auto both = asForm(facts, "sparse", layer.outputChannels);
            const double kept = static_cast<double>(facts.elements) * *facts.density;
            if (both)
                both->storedBytes = facts.elements / 8 + static_cast<std::uint64_t>(kept / 2) + 32;
            return both;
        }
        return asForm(facts, "sparse", layer.outputChannels);
    }
    if (name.starts_with("palette") && name.size() == 8) {
        auto form = asForm(facts, "palette8", layer.outputChannels);
        form->bits = static_cast<unsigned>(name[7] - '0');
        form->storedBytes = facts.elements * form->bits / 8 + (2U << form->bits);
        return form;
    }
    return asForm(facts, name, layer.outputChannels);
}

/// A straight line through points, by least squares: seconds = fixed + bytes / bandwidth.
struct Line {
    double fixed = 0, perByte = 0;
};
std::optional<Line> fitted(const std::vector<std::pair<double, double>> &points)
{
    if (points.size() < 2)
        return std::nullopt;
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto n = static_cast<double>(points.size());
    for (const auto &[bytes, seconds] : points) {
        x += bytes / n;
        y += seconds / n;
    }
    for (const auto &[bytes, seconds] : points) {
        xx += (bytes - x) * (bytes - x);
        xy += (bytes - x) * (seconds - y);
    }
    if (xx <= 0)
        return std::nullopt;
    return Line{y - xy / xx * x, xy / xx};
}

std::uint64_t streamedBytes(const Timed &row)
{
    const Layer layer = chained(row);
    // "sparse32" of the guide's chapter 10 is 32 percent dense.
    const auto form = formNamed(layer, row.form == "sparse32" ? "sparse68" : row.form);
    return form ? form->storedBytes : layer.form.denseBytes;
}

/// The fixed cost and the bandwidth of a chip's calls, from another group than `without`.
struct CallModel {
    Line line;
    std::string fittedOn;
};
std::optional<CallModel> callModel(const std::string &target, const std::string &without)
{
    std::vector<std::string> groups;
    for (const Timed &row : timedRows()) {
        if (row.target == target && row.op == "matmul" && row.group != without &&
            std::find(groups.begin(), groups.end(), row.group) == groups.end())
            groups.push_back(row.group);
    }
    for (const std::string &group : groups) {
        std::vector<std::pair<double, double>> points;
        for (const Timed &row : timedRows()) {
            if (row.target == target && row.group == group)
                points.emplace_back(static_cast<double>(streamedBytes(row)), row.seconds);
        }
        if (const auto line = fitted(points))
            return CallModel{*line, fmt::format("{} ({} rows)", group, points.size())};
    }
    return std::nullopt;
}

std::optional<double> figure(const Roofs &roofs, std::string_view name)
{
    for (const Ceiling &ceiling : roofs.all) {
        if (ceiling.name == name)
            return ceiling.value;
    }
    return std::nullopt;
}

CalibrationRow begun(const Timed &row)
{
    CalibrationRow made;
    made.target = row.target;
    made.measurement = row.name;
    made.form = row.form;
    made.condition = row.condition;
    made.source = row.source;
    made.unit = "s";
    made.low = made.high = row.seconds;
    return made;
}

/// What is known to be missing from the model for a row that it misses.
std::string missingEffect(const Timed &row)
{
    if (row.group == "chapter 20 step")
        return "the passes: the step from one to two is not in the roofs, nor a cost a layer";
    if (row.group == "ks4" && row.engines == 2)
        return "what two engines cannot share, and the transform of Winograd where a kernel axis "
               "is 3";
    if (row.group == "ks4")
        return "the transform of Winograd where a kernel axis is 3, and the halved rate of widths "
               "above 8";
    if (row.form == "w8a8")
        return "arithmetic in int8";
    return "overlap of fixed costs and work; clock states";
}

CalibrationRow predictTimed(const Timed &row, const target::Target &target)
{
    CalibrationRow made = begun(row);
    if (row.op == "matmul") {
        const auto model = callModel(row.target, row.group);
        if (model) {
            made.predicted =
                model->line.fixed + model->line.perByte * static_cast<double>(streamedBytes(row));
            made.basis = fmt::format("{:.3g} s a call and {:.3g} GB/s", model->line.fixed,
                                     1e-9 / model->line.perByte);
            made.fittedOn = model->fittedOn;
        }
        made.missing = "fixed costs that overlap with the stream where the weight is small";
        return made;
    }
    RoofChoice choice;
    if (row.engines == 2)
        choice.compute = "peak_fp16_flops_two_engines";
    const auto roofs = roofsOf(target, choice);
    const Layer layer = chained(row);
    const auto form = formNamed(layer, row.form);
    if (!roofs || !form) {
        made.missing = missingEffect(row);
        return made;
    }
    decision::Judge judge;
    const Assessment assessed = assess(layer, *form, *roofs, judge);
    const double layers = static_cast<double>(row.layers);
    const double fixed = row.quantity == "layer_s" ? 0 : figure(*roofs, "task_fixed_s").value_or(0);
    const double floor = row.quantity == "call_s" ? roofs->dispatchFloorS.value_or(0) : 0;
    if (assessed.timeS)
        made.predicted = floor + fixed + layers * *assessed.timeS;
    made.basis = fmt::format("{} x {:.3g} s ({} bound){}{}", row.layers, assessed.timeS.value_or(0),
                             boundName(assessed.bound),
                             fixed > 0 ? fmt::format(" + task {:.3g} s", fixed) : "",
                             floor > 0 ? fmt::format(" + call {:.3g} s", floor) : "");
    made.missing = missingEffect(row);
    return made;
}

CalibrationRow begun(const SpeedupRow &row)
{
    CalibrationRow made;
    made.target = row.target;
    made.measurement = row.measurement;
    made.form = row.form;
    made.condition = row.condition;
    made.source = row.source;
    made.unit = "ratio";
    made.low = row.isRatio() ? row.low : 1 / row.high;
    made.high = row.isRatio() ? row.high : 1 / row.low;
    return made;
}

/// The layer that the conditions of a ratio describe; nothing where its size is not published.
std::optional<Timed> layerOf(const SpeedupRow &row)
{
    const auto number = [&](std::string_view key) {
        return static_cast<std::uint64_t>(
            std::max<std::int64_t>(0, parseInteger(row.conditionOf(key)).value_or(0)));
    };
    Timed layer;
    layer.target = row.target;
    layer.form = row.form;
    const std::uint64_t side = std::max({number("channels"), number("width"), number("inner")});
    if (side == 0)
        return std::nullopt;
    layer.op = row.conditionOf("op") == "matmul" ? "matmul" : "conv";
    layer.inputs = layer.outputs = side;
    layer.width = std::max<std::uint64_t>(1, number("pixels"));
    if (row.conditionOf("kernel") == "3x3")
        layer.kernelWidth = layer.kernelHeight = 3;
    if (row.conditionOf("engines") == "2")
        layer.engines = 2;
    return layer;
}

/// The M1's stacks are published without sizes: the share of the dense time that goes with the
/// bytes, fitted on the other of its two stacks.
void predictStack(const SpeedupRow &row, CalibrationRow &made)
{
    const double sparseBytes = 1.0 / 16 + 0.37, paletteBytes = 0.25;
    for (const SpeedupRow &other : decision::speedupRows()) {
        if (other.target != row.target || other.form == row.form)
            continue;
        const bool bandwidths = other.measurement == "effective_bandwidth_GBps_dense_to_sparse";
        const bool palette = other.form == "palette4" && other.isSpeed();
        if (row.form == "palette4" && bandwidths) {
            const double share = (1 - other.low / other.high) / (1 - sparseBytes);
            made.predicted = 1 - share * (1 - paletteBytes);
            made.fittedOn = "H13 sparse stack, effective bandwidth 29 to 48 GB/s";
        } else if (row.form == "sparse" && palette) {
            const double share = (1 - 1 / other.low) / (1 - paletteBytes);
            made.predicted = 1 - share * (1 - sparseBytes);
            made.fittedOn = "H13 palette4 stack, 2.37";
        }
    }
    made.basis = "fixed share of the dense time, and a share that goes with the bytes";
}

void predictRatio(const SpeedupRow &row, const target::Target &target, CalibrationRow &made)
{
    const auto shape = layerOf(row);
    decision::Judge judge;
    const bool matmul = row.target == "H14";
    if (matmul) {
        Timed layer = shape.value_or(Timed());
        if (!shape) {
            layer.inputs = layer.outputs = 4096;
            made.condition += "; size not published: taken at 4096";
        }
        layer.form =
            row.form == "sparse" && row.conditionOf("inner") == "4096" ? "sparse68" : row.form;
        const bool chapter = row.source.find("7") != std::string::npos;
        const auto model =
            callModel(row.target, chapter ? "chapter 7 table 7.3" : "engine guide ch.10");
        const Layer on = chained(layer);
        const auto form = formNamed(on, layer.form);
        if (!model || !form)
            return;
        const bool folds = judge.decide(*form, target).outcome() != decision::Outcome::Streams;
        const auto seconds = [&](std::uint64_t bytes) {
            return model->line.fixed + model->line.perByte * static_cast<double>(bytes);
        };
        made.predicted =
            seconds(folds ? on.form.denseBytes : form->storedBytes) / seconds(on.form.denseBytes);
        made.basis = fmt::format("{:.3g} s a call and {:.3g} GB/s", model->line.fixed,
                                 1e-9 / model->line.perByte);
        made.fittedOn = model->fittedOn;
        made.missing = "fixed costs that overlap with the stream where the weight is small";
        return;
    }
    if (row.target == "H13" && made.high < 0.95) {
        predictStack(row, made);
        made.missing = "the sizes of the stacks' layers, which are not published";
        return;
    }
    RoofChoice choice;
    if (shape && shape->engines == 2)
        choice.compute = "peak_fp16_flops_two_engines";
    const auto roofs = roofsOf(target, choice);
    Timed layer = shape.value_or(Timed());
    if (!shape)
        layer.inputs = layer.outputs = 4096, layer.form = row.form;
    Layer on = chained(layer);
    const bool resident = row.conditionOf("bound") == "compute";
    const auto form = formNamed(on, row.form);
    if (!roofs || !form) {
        made.missing = row.form == "w8a8" ? "arithmetic in int8" : "the form";
        return;
    }
    Assessment dense = assess(on, on.form, *roofs, judge);
    Assessment other = assess(on, *form, *roofs, judge);
    // Weights that are resident cost arithmetic only.
    const auto time = [&](const Assessment &of) { return resident ? of.computeS : of.timeS; };
    if (time(dense) && time(other) && *time(dense) > 0)
        made.predicted = *time(other) / *time(dense);
    made.basis = resident ? "arithmetic at the roof, zeros skipped where that was measured"
                          : fmt::format("the roofs: {} bound, dense {}", boundName(other.bound),
                                        boundName(dense.bound));
    if (const auto *skip =
            form->density ? modelParameter(target, "zero_skip_fixed_share") : nullptr)
        made.fittedOn = skip->fittedOn;
    if (!shape)
        made.condition += "; size not published: taken as bound by the weight's bytes";
    made.missing = layer.kernelWidth == 3
                       ? "Winograd, which zeros turn off"
                       : (row.form.starts_with("palette") || row.form == "int8"
                              ? "the cost of looking a palette up and of scaling, and fixed costs"
                              : "fixed costs of a call");
}

bool isGoal(const SpeedupRow &row)
{
    const bool sparseShares =
        row.form == "sparse50" || row.form == "sparse75" || row.form == "sparse90";
    return (row.target == "H13" && row.low > 1.05) ||
           (row.target == "H14" && row.source.find("7") != std::string::npos) ||
           (sparseShares && row.conditionOf("channels") == "2048");
}

} // namespace

std::optional<double> CalibrationRow::ratio() const
{
    return predicted && measured() > 0 ? std::optional(*predicted / measured()) : std::nullopt;
}

std::optional<bool> CalibrationRow::within() const
{
    if (!predicted)
        return std::nullopt;
    return *predicted >= low * (1 - kCalibrationGoal) &&
           *predicted <= high * (1 + kCalibrationGoal);
}

const ModelParameter *modelParameter(const target::Target &target, std::string_view name)
{
    static const auto parameters = tables::loadRows<ModelParameter>(
        "model_parameters", {{"parameter", &ModelParameter::name},
                             {"target", &ModelParameter::target},
                             {"unit", &ModelParameter::unit},
                             {"fitted_on", &ModelParameter::fittedOn},
                             {"source", &ModelParameter::source},
                             {"note", &ModelParameter::note},
                             {"value", &ModelParameter::value}});
    for (const ModelParameter &parameter : parameters) {
        if (parameter.name == name && parameter.target == target.name)
            return &parameter;
    }
    return nullptr;
}

std::vector<CalibrationRow> calibrate(const target::Target *wanted)
{
    std::vector<CalibrationRow> rows;
    const auto chip = [&](const std::string &name) -> const target::Target * {
        const auto named = target::findTarget(name);
        const target::Target *found = named ? named->target : nullptr;
        return wanted == nullptr || found == wanted ? found : nullptr;
    };
    for (const SpeedupRow &row : decision::speedupRows()) {
        const target::Target *target = row.isSpeed() && row.low > 0 ? chip(row.target) : nullptr;
        if (target == nullptr)
            continue;
        rows.push_back(begun(row));
        predictRatio(row, *target, rows.back());
        rows.back().goal = isGoal(row);
    }
    for (const Timed &row : timedRows()) {
        if (const target::Target *target = chip(row.target))
            rows.push_back(predictTimed(row, *target));
    }
    for (CalibrationRow &row : rows) {
        if (row.within().value_or(false))
            row.missing.clear();
    }
    return rows;
}

std::optional<double> predictionError(const target::Target &target)
{
    static const std::vector<CalibrationRow> all = calibrate();
    std::vector<double> errors;
    for (const CalibrationRow &row : all) {
        if (row.target == target.name && row.ratio())
            errors.push_back(std::abs(*row.ratio() - 1));
    }
    if (errors.empty())
        return std::nullopt;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    return *middle;
}

} // namespace kernscope::roofline
