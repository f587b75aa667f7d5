// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibrate.h"

#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/format/table_rows.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace kernscope::roofline {

using decision::SpeedupRow;
using decision::WeightForm;

namespace {

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

/// All rows of the table, in its order.
const std::vector<Timed> &timedRows()
{
    static const auto rows =
        tables::loadRows<Timed>("measurements", {{"group", &Timed::group},
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
    return rows;
}

/// What a row of measurements is about, by the keys of model_effects.csv: "group" ("ratio" of
/// ratios), "form", "op", "side" (channels), "kernel" ("WxH"), "kernel_w", "height" (rows of the
/// map), "layers", "engines".
using EffectSubject = std::map<std::string, std::string, std::less<>>;

struct Effect {
    std::string target, conditions, effect, evidence, source;
};

const std::vector<Effect> &effects()
{
    static const auto rows =
        tables::loadRows<Effect>("model_effects", {{"target", &Effect::target},
                                                   {"conditions", &Effect::conditions},
                                                   {"effect", &Effect::effect},
                                                   {"evidence", &Effect::evidence},
                                                   {"source", &Effect::source}});
    return rows;
}

/// A pattern, or a range of numbers "9..15".
bool matches(std::string_view wanted, const std::string &value)
{
    const std::size_t dots = wanted.find("..");
    if (dots == wanted.npos)
        return matchesPattern(wanted, value);
    const auto low = parseInteger(wanted.substr(0, dots)),
               high = parseInteger(wanted.substr(dots + 2));
    const auto number = parseInteger(value);
    return low && high && number && *number >= *low && *number <= *high;
}

/// "group=ks4;kernel_w=9..11|15": each key has one of the values.
bool holds(std::string_view conditions, const EffectSubject &subject)
{
    return allParts(conditions, ';', [&](std::string_view condition) {
        const std::size_t equals = condition.find('=');
        const auto fact = subject.find(condition.substr(0, equals));
        return equals != condition.npos && fact != subject.end() &&
               !allParts(condition.substr(equals + 1), '|',
                         [&](std::string_view value) { return !matches(value, fact->second); });
    });
}

/// One of its layers, with dense weights.
Layer layerOf(const Timed &row)
{
    Layer layer;
    layer.op = row.op;
    layer.form.shape = {row.outputs, row.inputs, row.kernelHeight, row.kernelWidth};
    layer.form.elements = row.kernelWidth * row.kernelHeight * row.inputs * row.outputs;
    layer.form.storedBytes = layer.form.denseBytes = 2 * layer.form.elements;
    layer.form.use = {true, false, std::nullopt, true, true};
    layer.flops = 2 * layer.form.elements * row.width * row.height;
    layer.inputBytes = 2 * row.inputs * row.width * row.height;
    layer.outputBytes = 2 * row.outputs * row.width * row.height;
    decision::LayerOperation operation;
    operation.inputChannels = row.inputs;
    operation.outputChannels = row.outputs;
    operation.kernelWidth = row.kernelWidth;
    operation.kernelHeight = row.kernelHeight;
    operation.outputWidth = row.width;
    operation.outputHeight = row.height;
    layer.operation = operation;
    return layer;
}

/// "int8", "palette4", "sparse75" (percent of zeros), "sparse50+palette4", "w8a8". Nothing for a
/// form that is not modelled.
std::optional<WeightForm> formNamed(const Layer &layer, std::string_view name)
{
    WeightForm facts = layer.form;
    if (name == "dense" || name == "w8a8")
        return name == "dense" ? std::optional(facts) : std::nullopt;
    if (name.ends_with(" grouped"))
        name.remove_suffix(8);
    if (name == "sparse32") // that of the guide's chapter 10 is 32 percent dense
        name = "sparse68";
    if (name.starts_with("sparse")) {
        const std::string_view digits = name.substr(6, 2);
        facts.density = 1 - static_cast<double>(parseInteger(digits).value_or(63)) / 100;
        if (name.size() > 8 && name[8] == '+') {
            auto both = asForm(facts, "sparse");
            const double kept = static_cast<double>(facts.elements) * *facts.density;
            if (both) {
                both->node = FormNode::Palette;
                both->bits = 4;
                both->storedBytes = facts.elements / 8 + static_cast<std::uint64_t>(kept / 2) + 32;
            }
            return both;
        }
        return asForm(facts, "sparse");
    }
    if (name.starts_with("palette") && name.size() == 8) {
        auto form = asForm(facts, "palette8");
        form->bits = static_cast<unsigned>(name[7] - '0');
        form->storedBytes = facts.elements * form->bits / 8 + (2U << form->bits);
        return form;
    }
    return asForm(facts, name);
}

EffectSubject effectSubjectOf(const Timed &row)
{
    return {{"group", row.group},
            {"form", row.form},
            {"op", row.op},
            {"side", fmt::format("{}", row.inputs)},
            {"kernel", fmt::format("{}x{}", row.kernelWidth, row.kernelHeight)},
            {"kernel_w", fmt::format("{}", row.kernelWidth)},
            {"height", fmt::format("{}", row.height)},
            {"layers", fmt::format("{}", row.layers)},
            {"engines", fmt::format("{}", row.engines)}};
}

/// The effect that the model leaves out, by the first row of the table that is about it.
void nameMissing(CalibrationRow &row, const EffectSubject &subject)
{
    for (const Effect &effect : effects()) {
        if (effect.target != row.target || !holds(effect.conditions, subject))
            continue;
        row.missing = effect.effect;
        row.missingEvidence = effect.evidence;
        row.missingSource = effect.source;
        return;
    }
}

/// As many engines as a measurement ran on.
Result<Roofs> roofsFor(const target::Target &target, std::uint64_t engines)
{
    return roofsOf(target, {engines == 2 ? "peak_fp16_flops_two_engines" : "", ""});
}

/// What a call takes that runs `layers` such layers, one after the other.
std::optional<double> callOf(Layer layer, const Assessment &assessed, const Roofs &roofs,
                             std::uint64_t layers)
{
    layer.runs.front().times = layers;
    const LayerTime one{&layer, assessed.timeS, refusalOf(assessed)};
    return programTime(std::span(&one, 1), roofs).timeS;
}

/// What the prediction is made of, and what that was fitted on.
void describe(CalibrationRow &made, const Assessment &assessed)
{
    made.basis += fmt::format("{} bound", boundName(assessed.bound));
    for (const LayerRoof *roof : {assessed.computeRoof, assessed.weightRoof}) {
        if (roof == nullptr)
            continue;
        made.basis += fmt::format(", {} {:.4g} {}", roof->ceiling.name, roof->ceiling.value,
                                  roof->ceiling.unit);
        if (roof->ceiling.method == Ceiling::Method::Derived)
            made.fittedOn += (made.fittedOn.empty() ? "" : "; ") + roof->ceiling.source;
    }
    for (const ModelParameter *parameter : assessed.parameters) {
        made.basis += fmt::format(", {} {:g}", parameter->name, parameter->value);
        if (made.fittedOn.find(parameter->fittedOn) == std::string::npos)
            made.fittedOn += (made.fittedOn.empty() ? "" : "; ") + parameter->fittedOn;
    }
    made.own = made.fittedOn.find(made.source) != std::string::npos;
}

/// What a row of either table says of itself, and what is known to be missing in the model of it.
template <class Row>
CalibrationRow begun(const Row &row, const std::string &name, std::string_view unit, double low,
                     double high, const Timed &timed)
{
    CalibrationRow made;
    made.target = row.target;
    made.measurement = name;
    made.form = row.form;
    made.condition = row.condition;
    made.source = row.source;
    made.unit = unit;
    made.low = low;
    made.high = high;
    nameMissing(made, effectSubjectOf(timed));
    return made;
}

CalibrationRow predictTime(const Timed &row, const target::Target &target)
{
    CalibrationRow made = begun(row, row.name, "s", row.seconds, row.seconds, row);
    const auto roofs = roofsFor(target, row.engines);
    const Layer layer = layerOf(row);
    const auto form = formNamed(layer, row.form);
    if (!roofs || !form)
        return made;
    decision::Judge judge;
    const Assessment assessed = assess(layer, *form, *roofs, judge);
    if (row.quantity == "call_s") {
        made.predicted = callOf(layer, assessed, *roofs, row.layers);
        made.basis = "a call; ";
    } else if (assessed.timeS) {
        made.predicted = static_cast<double>(row.layers) * *assessed.timeS;
        for (const Ceiling &figure : roofs->all) {
            if (row.quantity == "engine_s" && figure.name == "task_fixed_s")
                *made.predicted += figure.value;
        }
    }
    if (row.layers > 1)
        made.basis += fmt::format("{} layers; ", row.layers);
    describe(made, assessed);
    return made;
}

/// The layer that the conditions of a ratio describe; its size is 0 where none is published.
Timed layerOf(const SpeedupRow &row)
{
    const auto number = [&](std::string_view key) {
        return static_cast<std::uint64_t>(
            std::max<std::int64_t>(0, parseInteger(row.conditionOf(key)).value_or(0)));
    };
    Timed layer;
    layer.group = "ratio";
    layer.target = row.target;
    // "about 32 percent dense"
    layer.form = row.form == "sparse" && row.conditionOf("inner") == "4096" ? "sparse68" : row.form;
    layer.op = row.conditionOf("op") == "matmul" ? "matmul" : "conv";
    layer.inputs = layer.outputs = std::max({number("channels"), number("width"), number("inner")});
    layer.width = std::max<std::uint64_t>(1, number("pixels"));
    if (row.conditionOf("kernel") == "3x3")
        layer.kernelWidth = layer.kernelHeight = 3;
    if (row.conditionOf("engines") == "2")
        layer.engines = 2;
    return layer;
}

CalibrationRow predictRatio(const SpeedupRow &row, const target::Target &target)
{
    constexpr std::uint64_t kNotPublished = 4096; ///< a side: bound by the weight's bytes
    Timed measured = layerOf(row);
    CalibrationRow made = begun(row, row.measurement, row.isRatio() ? "ratio" : "speedup", row.low,
                                row.high, measured);
    made.goal = row.goal;
    if (measured.inputs == 0) {
        measured.inputs = measured.outputs = kNotPublished;
        made.condition += fmt::format("; size not published: taken at {}", kNotPublished);
    }
    const auto roofs = roofsFor(target, measured.engines);
    const Layer layer = layerOf(measured);
    const auto form = formNamed(layer, measured.form);
    if (!roofs || !form)
        return made;
    decision::Judge judge;
    const Assessment dense = assess(layer, layer.form, *roofs, judge);
    const Assessment other = assess(layer, *form, *roofs, judge);
    // Weights that are resident cost arithmetic only.
    const bool resident = row.conditionOf("bound") == "compute", call = row.timed == "call";
    const auto time = [&](const Assessment &of) {
        return call ? callOf(layer, of, *roofs, 1) : resident ? of.computeS : of.timeS;
    };
    if (time(dense) && time(other) && *time(dense) > 0 && *time(other) > 0)
        made.predicted = row.isRatio() ? *time(other) / *time(dense) : *time(dense) / *time(other);
    made.basis = call ? "a call; " : resident ? "arithmetic alone; " : "a layer; ";
    describe(made, other);
    if (dense.computeRoof != other.computeRoof && dense.computeRoof != nullptr)
        made.basis += "; dense at " + dense.computeRoof->ceiling.name;
    return made;
}

/// Zeros of "sparse50", and of the M1's stack by the row that has them; empty: not published.
std::optional<double> publishedZeros(std::string_view target, std::string_view form)
{
    if (form.size() > 7 && form.starts_with("sparse")) {
        if (const auto percent = parseInteger(form.substr(6, 2)))
            return static_cast<double>(*percent) / 100;
    }
    for (const SpeedupRow &other : decision::speedupRows()) {
        if (other.target == target && other.form == form && other.measurement == "zero_fraction")
            return other.low;
    }
    return std::nullopt;
}

/// Stored bytes over those of fp16 by the law of a published form (listing 25.3 for masks; tables
/// apart): "int8", "palette4 grouped", "sparse50+palette4", "sparse" by the zeros that are
/// published for the chip. Empty: no law, or zeros that are not published.
std::optional<double> storedRatio(std::string_view target, std::string_view name)
{
    std::string_view form = name;
    if (form.ends_with(" grouped"))
        form.remove_suffix(8);
    if (form.starts_with("palette") && form.size() == 8)
        return static_cast<double>(form[7] - '0') / 16;
    if (form == "int8")
        return 0.5;
    const auto zeros = form.starts_with("sparse") ? publishedZeros(target, name) : std::nullopt;
    if (!zeros)
        return std::nullopt;
    const double kept = form.ends_with("+palette4") ? 0.25 : 1;
    return 1.0 / 16 + (1 - *zeros) * kept;
}

std::string figureUnit(const SpeedupRow &row)
{
    if (row.measurement == "effective_bandwidth_GBps_dense_to_sparse")
        return "GB/s";
    return row.measurement == "program_bytes" ? "B" : "ratio";
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
        rows.push_back(predictRatio(row, *target));
    }
    for (const Timed &row : timedRows()) {
        if (const target::Target *target = chip(row.target))
            rows.push_back(predictTime(row, *target));
    }
    for (CalibrationRow &row : rows) {
        if (!row.within().value_or(false))
            continue;
        for (std::string *text : {&row.missing, &row.missingEvidence, &row.missingSource})
            text->clear();
    }
    return rows;
}

std::optional<double> predictionError(const target::Target &target)
{
    static const std::vector<CalibrationRow> all = calibrate();
    std::vector<double> errors;
    for (const CalibrationRow &row : all) {
        if (row.target == target.name && row.counts() && row.ratio())
            errors.push_back(std::abs(*row.ratio() - 1));
    }
    if (errors.empty())
        return std::nullopt;
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    return *middle;
}

std::string predictionNote(const target::Target &target)
{
    const auto error = predictionError(target);
    return error ? fmt::format("Predictions for {} are off by {:.0f} % in the median (calibrate).",
                               target.name, 100 * *error)
                 : fmt::format("No measurement of {} tells how good predictions for it are.",
                               target.name);
}

std::vector<PublishedFigure> publishedFigures(const target::Target *wanted)
{
    std::vector<PublishedFigure> figures;
    const auto isWanted = [wanted](const std::string &name) {
        return wanted == nullptr || name == wanted->name || name == "*";
    };
    for (const SpeedupRow &row : decision::speedupRows()) {
        if (row.isSpeed() || !isWanted(row.target))
            continue;
        PublishedFigure figure{row.target,    row.form,   row.measurement, figureUnit(row),
                               row.condition, row.source, row.low,         row.high,
                               std::nullopt,  {},         row.confidence};
        if (row.measurement == "stored_bytes_ratio") {
            figure.predicted = storedRatio(row.target, row.form);
            figure.basis = figure.predicted ? "the form's bits over those of fp16" : "";
        }
        figures.push_back(std::move(figure));
    }
    for (const PowerFigure &row : powerFigures()) {
        if (isWanted(row.target))
            figures.push_back({row.target,
                               "dense",
                               row.quantity,
                               "W",
                               row.condition,
                               row.source,
                               row.watts,
                               row.watts,
                               std::nullopt,
                               {},
                               row.confidence});
    }
    return figures;
}

} // namespace kernscope::roofline
