// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/target/target.h"

/// Every published measurement beside what the assessment predicts for that very case.
namespace kernscope::roofline {

/// One measurement (resources/tables/measurements.csv and speedups.csv). The prediction is what
/// assess() says of that layer.
struct CalibrationRow {
    std::string target, measurement, form, condition, source;
    /// "s"; "speedup": the time of dense fp16 over that of the form; "ratio": the other way round.
    std::string unit;
    double low = 0, high = 0; ///< measured, in `unit`; equal where one figure is given
    std::optional<double> predicted;
    std::string basis;    ///< what the prediction is made of
    std::string fittedOn; ///< the rows that its parameters were fitted on; empty: none
    /// The effect that the model lacks, where it is off; what shows it, and where that is published
    /// (resources/tables/model_effects.csv).
    std::string missing, missingEvidence, missingSource;
    bool goal = false; ///< in the set of published ratios that predictions must meet

    /// A parameter, or a roof that is derived, was fitted on this very row.
    bool own = false;

    double measured() const { return (low + high) / 2; }
    /// Nothing changes, as predicted: a form that folds takes as long as fp16.
    bool isTrivial() const { return unit != "s" && predicted == 1.0 && low <= 1 && high >= 1; }
    /// Whether it says anything of how good predictions are.
    bool counts() const { return predicted && !own && !isTrivial(); }
    std::optional<double> ratio() const; ///< predicted / measured
    /// Within 15 percent of the figure, or of the range where one is given. Empty: no prediction.
    std::optional<bool> within() const;
};
inline constexpr double kCalibrationGoal = 0.15;

/// All targets, or one. In the order of the tables.
std::vector<CalibrationRow> calibrate(const target::Target *target = nullptr);

/// A published figure other than the time of a layer: stored bytes, errors, bandwidths, energies,
/// power.
struct PublishedFigure {
    std::string target, form, measurement, unit, condition, source;
    double low = 0, high = 0;
    std::optional<double> predicted; ///< by the law of the form's size; empty: nothing predicts it
    std::string basis;               ///< what the prediction is made of
    format::Confidence confidence = format::Confidence::Documented;
};
/// Every row of speedups.csv that calibrate() has no place for, and every row of power.csv. All
/// targets, or one; rows about every chip ("*") belong to each.
std::vector<PublishedFigure> publishedFigures(const target::Target *target = nullptr);

/// What the rows of a target say of its predictions: the median of |ratio - 1| over those that
/// count; nothing where none does. Every prediction for the target carries it.
std::optional<double> predictionError(const target::Target &target);

/// How good the predictions for a chip are, in a sentence: how far they are off from the published
/// measurements (predictionError), or that there are none. It is shown beside every predicted time
/// and speed-up.
std::string predictionNote(const target::Target &target);

} // namespace kernscope::roofline
