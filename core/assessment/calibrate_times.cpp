// SPDX-License-Identifier: GPL-3.0-or-later
// Measured times of layers, chains of layers and calls.
#include "core/assessment/calibration_rows.h"

#include <fmt/format.h>

namespace kernscope::roofline::calibration {

namespace {

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

void predictCall(const Timed &row, CalibrationRow &made)
{
    if (const auto model = callModel(row.target, row.group)) {
        made.predicted = model->seconds(streamedBytes(row));
        made.basis = model->text();
        made.fittedOn = model->fittedOn;
    }
    made.missing = "fixed costs that overlap with the stream where the weight is small";
}

} // namespace

CalibrationRow predictTime(const Timed &row, const target::Target &target)
{
    CalibrationRow made = begun(row);
    if (row.op == "matmul") {
        predictCall(row, made);
        return made;
    }
    const auto roofs = roofsFor(target, row.engines);
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

} // namespace kernscope::roofline::calibration
