// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"

#include <optional>
#include <string>
#include <vector>

/// Every published measurement beside what the assessment predicts for that very case.
namespace kernscope::roofline {

/// One measurement (resources/tables/measurements.csv and speedups.csv). A prediction uses nothing
/// that was fitted to the row that it is compared with.
struct CalibrationRow {
    std::string target, measurement, form, condition, source;
    std::string unit;         ///< "s", or "ratio": time over that of dense fp16
    double low = 0, high = 0; ///< measured, in `unit`; equal where one figure is given
    std::optional<double> predicted;
    std::string basis;    ///< what the prediction is made of
    std::string fittedOn; ///< the rows that its parameters were fitted on; empty: none
    /// The effect that the model lacks, where it is off; what shows it, and where that is published
    /// (resources/tables/model_effects.csv).
    std::string missing, missingEvidence, missingSource;
    bool goal = false; ///< one of the published ratios that are to be met

    double measured() const { return (low + high) / 2; }
    std::optional<double> ratio() const; ///< predicted / measured
    /// Within 15 percent of the figure, or of the range where one is given. Empty: no prediction.
    std::optional<bool> within() const;
};
inline constexpr double kCalibrationGoal = 0.15;

/// All targets, or one. In the order of the tables.
std::vector<CalibrationRow> calibrate(const target::Target *target = nullptr);

/// A published figure that is no time of a layer: stored bytes, errors, bandwidths, energies,
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

/// What the rows of a target say of its predictions: the median of |ratio - 1| over those that have
/// a ratio; nothing where none has. Every prediction for the target carries it.
std::optional<double> predictionError(const target::Target &target);

/// A parameter of the model that was fitted (resources/tables/model_parameters.csv).
struct ModelParameter {
    std::string name, target, unit, fittedOn, source, note;
    double value = 0;
};
/// Nothing where the target has none of that name; parameters are not lent to another chip.
const ModelParameter *modelParameter(const target::Target &target, std::string_view name);

} // namespace kernscope::roofline
