// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/energy.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

const PowerFigure *powerNamed(std::span<const PowerFigure> figures, std::string_view quantity)
{
    const auto at = std::find_if(figures.begin(), figures.end(), [quantity](const auto &figure) {
        return figure.quantity == quantity;
    });
    return at == figures.end() ? nullptr : &*at;
}

/// The kind of operation that power was measured on: matrix products under every name.
std::string_view kindOf(std::string_view op)
{
    const bool matrix = op == "matmul" || op == "linear" || op == "einsum";
    return matrix ? "matmul" : op;
}

/// The reading of a saturated engine that is about the operation, else the largest one.
const PowerFigure *saturated(std::span<const PowerFigure> figures, std::string_view op)
{
    const PowerFigure *largest = nullptr;
    for (const PowerFigure &figure : figures) {
        if (figure.quantity != "rail_saturated")
            continue;
        if (figure.conditionOf("op") == kindOf(op))
            return &figure;
        if (largest == nullptr || figure.watts > largest->watts)
            largest = &figure;
    }
    return largest;
}

std::optional<bool> holdsFor(const PowerFigure &figure, std::string_view op, Bound bound)
{
    const std::string_view wanted = figure.conditionOf("op"), within = figure.conditionOf("bound");
    if (!op.empty() && !wanted.empty() && wanted != kindOf(op))
        return false;
    if (!within.empty() && bound != Bound::Unknown && boundName(bound) != within)
        return false;
    const bool open = op.empty() || (!within.empty() && bound == Bound::Unknown);
    return open ? std::nullopt : std::optional(true);
}

} // namespace

std::string_view PowerFigure::conditionOf(std::string_view key) const
{
    return tables::conditionIn(conditions, key);
}

std::span<const PowerFigure> powerFigures()
{
    static const auto all =
        tables::loadRows<PowerFigure>("power", {{"target", &PowerFigure::target},
                                                {"quantity", &PowerFigure::quantity},
                                                {"value", &PowerFigure::watts},
                                                {"method", &PowerFigure::method},
                                                {"condition", &PowerFigure::condition},
                                                {"conditions", &PowerFigure::conditions},
                                                {"source", &PowerFigure::source},
                                                {"confidence", &PowerFigure::confidence}});
    return all;
}

std::vector<PowerFigure> powerFigures(const target::Target &target)
{
    std::vector<PowerFigure> found;
    std::copy_if(powerFigures().begin(), powerFigures().end(), std::back_inserter(found),
                 [&](const PowerFigure &figure) { return figure.target == target.name; });
    return found;
}

std::optional<Energy> energyOf(const target::Target &target, std::string_view op, Bound bound,
                               std::optional<double> timeS)
{
    const std::vector<PowerFigure> figures = powerFigures(target);
    const PowerFigure *floor = powerNamed(figures, "rail_floor");
    const PowerFigure *full = saturated(figures, op);
    if (!timeS || (floor == nullptr && full == nullptr))
        return std::nullopt;
    Energy energy;
    if (floor != nullptr) {
        const PowerFigure *step = powerNamed(figures, "rail_core_step");
        const double watts = floor->watts + (step != nullptr ? step->watts : 0);
        energy.lowJ = watts * *timeS;
        energy.basis = fmt::format("{:.3g} W ({}, one core lit)", watts, floor->condition);
        energy.source = floor->source;
    }
    if (full != nullptr) {
        energy.highJ = full->watts * *timeS;
        energy.holds = holdsFor(*full, op, bound);
        energy.basis += fmt::format("{}{:.3g} W ({})", energy.basis.empty() ? "" : " to ",
                                    full->watts, full->condition);
        if (energy.source != full->source)
            energy.source += (energy.source.empty() ? "" : "; ") + full->source;
    }
    return energy;
}

std::optional<Energy> programEnergy(const target::Target &target, double engineTimeS, double timeS)
{
    auto whole = energyOf(target, {}, Bound::Unknown, timeS);
    const auto working = energyOf(target, {}, Bound::Unknown, engineTimeS);
    // Where the power while it waits is not known, the largest power all the time is the bound.
    if (!whole || !working || !working->highJ || !whole->lowJ)
        return whole;
    const double waiting = timeS > 0 ? *whole->lowJ * (timeS - engineTimeS) / timeS : 0;
    whole->highJ = *working->highJ + waiting;
    return whole;
}

} // namespace kernscope::roofline
