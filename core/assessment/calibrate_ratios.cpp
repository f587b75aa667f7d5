// SPDX-License-Identifier: GPL-3.0-or-later
// Measured ratios of one form's time to that of dense fp16.
#include "core/assessment/calibration_rows.h"

#include "core/base/csv.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::roofline::calibration {

using decision::SpeedupRow;
using decision::WeightForm;

namespace {

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
    const auto sparse = storedRatio(row.target, "sparse"),
               palette = storedRatio(row.target, "palette4");
    if (!sparse || !palette)
        return;
    const double sparseBytes = *sparse, paletteBytes = *palette;
    for (const SpeedupRow &other : decision::speedupRows()) {
        if (other.target != row.target || other.form == row.form)
            continue;
        const bool bandwidths = other.measurement == "effective_bandwidth_GBps_dense_to_sparse";
        const bool stack = other.form == "palette4" && other.isSpeed();
        if (row.form == "palette4" && bandwidths) {
            const double share = (1 - other.low / other.high) / (1 - sparseBytes);
            made.predicted = 1 - share * (1 - paletteBytes);
            made.fittedOn = fmt::format("{} {} stack, effective bandwidth {} to {} GB/s",
                                        other.target, other.form, other.low, other.high);
        } else if (row.form == "sparse" && stack) {
            const double share = (1 - 1 / other.low) / (1 - paletteBytes);
            made.predicted = 1 - share * (1 - sparseBytes);
            made.fittedOn = fmt::format("{} {} stack, {}", other.target, other.form, other.low);
        }
    }
    made.basis = "fixed share of the dense time, and a share that goes with the bytes";
}

/// A ratio of two calls, each its fixed cost and its bytes.
void predictCalls(const SpeedupRow &row, const target::Target &target, CalibrationRow &made)
{
    const auto shape = layerOf(row);
    Timed layer = shape.value_or(Timed());
    if (!shape) {
        layer.inputs = layer.outputs = 4096;
        made.condition += "; size not published: taken at 4096";
    }
    layer.form = row.form == "sparse" && row.conditionOf("inner") == "4096" ? "sparse68" : row.form;
    const bool chapter = row.source.find("7") != std::string::npos;
    const auto model =
        callModel(row.target, chapter ? "chapter 7 table 7.3" : "engine guide ch.10");
    const Layer on = chained(layer);
    const auto form = formNamed(on, layer.form);
    if (!model || !form)
        return;
    decision::Judge judge;
    const bool folds = judge.decide(*form, target).outcome() != decision::Outcome::Streams;
    made.predicted = model->seconds(folds ? on.form.denseBytes : form->storedBytes.value_or(0)) /
                     model->seconds(on.form.denseBytes);
    made.basis = model->text();
    made.fittedOn = model->fittedOn;
}

/// The parameter that the prediction of a ratio rests on; null where it has none.
const ModelParameter *parameterOf(const WeightForm &form, const target::Target &target,
                                  std::uint64_t engines)
{
    if (form.isPalette())
        return modelParameter(target,
                              engines == 2 ? "code_stream_cost_two_engines" : "code_stream_cost");
    return form.density ? modelParameter(target, "zero_skip_fixed_share") : nullptr;
}

/// A ratio of two times by the roofs.
void predictLayers(const SpeedupRow &row, const target::Target &target, CalibrationRow &made)
{
    const auto shape = layerOf(row);
    Timed layer = shape.value_or(Timed());
    if (!shape) {
        layer.inputs = layer.outputs = 4096;
        layer.form = row.form;
    }
    const auto roofs = roofsFor(target, layer.engines);
    const Layer on = chained(layer);
    const bool resident = row.conditionOf("bound") == "compute";
    const auto form = formNamed(on, row.form);
    if (!roofs || !form)
        return;
    decision::Judge judge;
    const Assessment dense = assess(on, on.form, *roofs, judge);
    const Assessment other = assess(on, *form, *roofs, judge);
    // Weights that are resident cost arithmetic only.
    const auto time = [&](const Assessment &of) { return resident ? of.computeS : of.timeS; };
    if (time(dense) && time(other) && *time(dense) > 0)
        made.predicted = *time(other) / *time(dense);
    made.basis = resident ? "arithmetic at the roof, zeros skipped where that was measured"
                          : fmt::format("the roofs: {} bound, dense {}{}", boundName(other.bound),
                                        boundName(dense.bound),
                                        dense.computeRate ? " at " + dense.computeRate->name : "");
    if (const auto *parameter = parameterOf(*form, target, layer.engines))
        made.fittedOn = parameter->fittedOn;
    if (!shape)
        made.condition += "; size not published: taken as bound by the weight's bytes";
}

Subject subjectOf(const SpeedupRow &row)
{
    Timed layer = layerOf(row).value_or(Timed());
    layer.group = "ratio";
    layer.form = row.form;
    return calibration::subjectOf(layer);
}

} // namespace

CalibrationRow predictRatio(const SpeedupRow &row, const target::Target &target)
{
    CalibrationRow made = begun(row);
    nameMissing(made, subjectOf(row));
    made.goal = row.goal;
    if (row.model == "calls")
        predictCalls(row, target, made);
    else if (row.model == "stack")
        predictStack(row, made);
    else
        predictLayers(row, target, made);
    return made;
}

} // namespace kernscope::roofline::calibration
