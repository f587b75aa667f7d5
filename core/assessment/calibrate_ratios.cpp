// SPDX-License-Identifier: GPL-3.0-or-later
// Measured ratios of one form's time to that of dense fp16.
#include "core/assessment/calibration_rows.h"

#include "core/base/csv.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::roofline::calibration {

using decision::SpeedupRow;

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
    made.missing = "fixed costs that overlap with the stream where the weight is small";
}

/// What the model lacks for a ratio that it misses.
std::string missingEffect(const SpeedupRow &row, const Timed &layer)
{
    if (layer.kernelWidth == 3)
        return "Winograd, which zeros turn off";
    if (row.form.starts_with("palette") || row.form == "int8")
        return "the cost of looking a palette up and of scaling, and fixed costs";
    return "fixed costs of a call";
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
    if (!roofs || !form) {
        made.missing = row.form == "w8a8" ? "arithmetic in int8" : "the form";
        return;
    }
    decision::Judge judge;
    const Assessment dense = assess(on, on.form, *roofs, judge);
    const Assessment other = assess(on, *form, *roofs, judge);
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
    made.missing = missingEffect(row, layer);
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

CalibrationRow predictRatio(const SpeedupRow &row, const target::Target &target)
{
    CalibrationRow made = begun(row);
    if (row.target == "H14") {
        predictCalls(row, target, made);
    } else if (row.target == "H13" && made.high < 0.95) {
        predictStack(row, made);
        made.missing = "the sizes of the stacks' layers, which are not published";
    } else {
        predictLayers(row, target, made);
    }
    made.goal = isGoal(row);
    return made;
}

} // namespace kernscope::roofline::calibration
