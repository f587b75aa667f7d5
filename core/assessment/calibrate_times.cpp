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

CalibrationRow begunTime(const Timed &row)
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

void predictCall(const Timed &row, CalibrationRow &made)
{
    if (const auto model = callModel(row.target, row.group)) {
        made.predicted = model->seconds(streamedBytes(row));
        made.basis = model->text();
        made.fittedOn = model->fittedOn;
    }
}

} // namespace

CalibrationRow predictTime(const Timed &row, const target::Target &target)
{
    CalibrationRow made = begunTime(row);
    nameMissing(made, subjectOf(row));
    if (row.op == "matmul") {
        predictCall(row, made);
        return made;
    }
    const auto roofs = roofsFor(target, row.engines);
    const Layer layer = chained(row);
    const auto form = formNamed(layer, row.form);
    if (!roofs || !form)
        return made;
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
    return made;
}

} // namespace kernscope::roofline::calibration
