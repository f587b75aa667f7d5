// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibrate.h"

#include "core/assessment/calibration_rows.h"
#include "core/assessment/prediction_note.h"
#include "core/base/csv.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::roofline {

using calibration::Timed;
using decision::SpeedupRow;

namespace {

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
    calibration::nameMissing(made, calibration::subjectOf(row));
    return made;
}

CalibrationRow predictTime(const Timed &row, const target::Target &target)
{
    CalibrationRow made = begun(row);
    const auto roofs = roofsFor(target, row.engines);
    const Layer layer = calibration::layerOf(row);
    const auto form = calibration::formNamed(layer, row.form);
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
    CalibrationRow made;
    made.target = row.target;
    made.measurement = row.measurement;
    made.form = row.form;
    made.condition = row.condition;
    made.source = row.source;
    made.unit = row.isRatio() ? "ratio" : "speedup";
    made.low = row.low;
    made.high = row.high;
    made.goal = row.goal;
    calibration::nameMissing(made, calibration::subjectOf(measured));
    if (measured.inputs == 0) {
        measured.inputs = measured.outputs = kNotPublished;
        made.condition += fmt::format("; size not published: taken at {}", kNotPublished);
    }
    const auto roofs = roofsFor(target, measured.engines);
    const Layer layer = calibration::layerOf(measured);
    const auto form = calibration::formNamed(layer, measured.form);
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
    for (const Timed &row : calibration::timedRows()) {
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

} // namespace kernscope::roofline
