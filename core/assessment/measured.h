// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"

namespace kernscope::decision {

/// A published speed-up of a form on a target (resources/tables/speedups.csv), with each of its
/// conditions evaluated on one layer.
struct Measurement {
    double low = 0, high = 0;      ///< times the rate of dense fp16
    std::string condition, source; ///< in the words of the source
    std::vector<Condition> conditions;
    format::Confidence confidence = format::Confidence::Documented;

    /// False where a condition fails; empty where none fails and one is not known.
    std::optional<bool> holds() const;
};

/// What the conditions are evaluated on.
struct MeasuredSubject {
    Outcome outcome = Outcome::Unknown;
    std::string op;                            ///< "conv", "linear", …; empty: no layer
    const LayerOperation *operation = nullptr; ///< null: not known
    std::optional<bool> bandwidthBound;        ///< of the layer with dense weights
    std::optional<bool> aboveWorkingSet;       ///< an operand is, the weight as dense
};

/// Every figure that is about that very form on that target, those whose conditions fail included.
std::vector<Measurement> measurements(const WeightForm &form, const target::Target &target,
                                      const MeasuredSubject &subject);

/// Energies that were measured of that very form on that target, as ratios to dense fp16 (`low` and
/// `high` are those ratios), with their conditions evaluated likewise.
std::vector<Measurement> energyMeasurements(const WeightForm &form, const target::Target &target,
                                            const MeasuredSubject &subject);

/// The speed-up that may be quoted: from the figures whose conditions all hold; where there is
/// none, from those that no condition contradicts, which are then "assumed". Nothing where all
/// fail.
std::optional<Speedup> quotedSpeedup(std::span<const Measurement> measured);

/// Whether a row of a table is about a layer: of the form ("dense": without zeros, "palette",
/// "sparse"; empty: any), and every condition known to hold.
bool isKnownToHold(std::string_view formName, std::string_view conditions, const WeightForm &form,
                   const MeasuredSubject &subject);

/// A row of the table, for the comparison with predictions.
struct SpeedupRow {
    std::string target, form, measurement, condition, conditions, source;
    std::string timed;        ///< of a speed-up: "layer", or "call" with what a dispatch costs
    bool goal = false;        ///< one of the published ratios that predictions are to meet
    double low = 0, high = 0; ///< as the table has them: speed-ups or ratios of latency
    format::Confidence confidence = format::Confidence::Documented;

    bool isRatio() const { return measurement == "latency_ratio_vs_fp16"; }
    bool isEnergy() const { return measurement == "energy_ratio_vs_fp16"; }
    bool isSpeed() const { return isRatio() || measurement.starts_with("speedup_vs_"); }
    /// The value of a condition, such as "zeros" or "channels"; empty where it has none.
    std::string_view conditionOf(std::string_view key) const;
};
std::span<const SpeedupRow> speedupRows();

} // namespace kernscope::decision

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
