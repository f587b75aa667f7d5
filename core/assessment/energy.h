// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Power that was measured, and the energy that follows from it and a predicted time. Energies that
/// were measured themselves are ratios of a form to fp16: decision::energyMeasurements.
namespace kernscope::roofline {

/// A reading of the engine's rail (resources/tables/power.csv).
struct PowerFigure {
    std::string target, quantity; ///< "rail_floor", "rail_core_step", "rail_saturated", …
    double watts = 0;
    std::string method;     ///< "measured"
    std::string condition;  ///< in words
    std::string conditions; ///< "op=conv;bound=compute"
    std::string source;
    format::Confidence confidence = format::Confidence::Documented;

    /// The value of a condition, such as "op"; empty where it has none.
    std::string_view conditionOf(std::string_view key) const;
};
std::span<const PowerFigure> powerFigures();
/// Those of a target; a chip's figures are not lent to another.
std::vector<PowerFigure> powerFigures(const target::Target &target);

/// Energy of a layer or a program in one dispatch, derived: power times a predicted time.
struct Energy {
    std::optional<double> lowJ;  ///< at the rail's floor, with one core lit
    std::optional<double> highJ; ///< at the power of a saturated engine: an upper bound elsewhere
    std::string basis, source;   ///< "0.81 W (floor) to 4.7 W (large 1x1 convolution)"
    /// Whether the layer is what the upper figure was measured on; empty: not known.
    std::optional<bool> holds;
};
/// Nothing where no power of the target is published, or the time is not known.
std::optional<Energy> energyOf(const target::Target &target, std::string_view op, Bound bound,
                               std::optional<double> timeS);

/// Of a dispatch that takes `timeS` and in which the engine works for `engineTimeS`: low, the
/// rail's floor all the time; high, the largest power of a saturated engine while it works and the
/// floor while it waits, or all the time where no floor is known. Nothing where no power of the
/// target is published.
std::optional<Energy> programEnergy(const target::Target &target, double engineTimeS, double timeS);

} // namespace kernscope::roofline
