// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/calibrate.h"

#include "core/assessment/calibration_rows.h"
#include "core/assessment/prediction_note.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::roofline {

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

const ModelParameter *modelParameter(const target::Target &target, std::string_view name)
{
    static const auto parameters = tables::loadRows<ModelParameter>(
        "model_parameters", {{"parameter", &ModelParameter::name},
                             {"target", &ModelParameter::target},
                             {"unit", &ModelParameter::unit},
                             {"fitted_on", &ModelParameter::fittedOn},
                             {"source", &ModelParameter::source},
                             {"note", &ModelParameter::note},
                             {"value", &ModelParameter::value}});
    for (const ModelParameter &parameter : parameters) {
        if (parameter.name == name && parameter.target == target.name)
            return &parameter;
    }
    return nullptr;
}

std::vector<CalibrationRow> calibrate(const target::Target *wanted)
{
    std::vector<CalibrationRow> rows;
    const auto chip = [&](const std::string &name) -> const target::Target * {
        const auto named = target::findTarget(name);
        const target::Target *found = named ? named->target : nullptr;
        return wanted == nullptr || found == wanted ? found : nullptr;
    };
    for (const decision::SpeedupRow &row : decision::speedupRows()) {
        const target::Target *target = row.isSpeed() && row.low > 0 ? chip(row.target) : nullptr;
        if (target == nullptr)
            continue;
        rows.push_back(calibration::predictRatio(row, *target));
    }
    for (const calibration::Timed &row : calibration::timedRows()) {
        if (const target::Target *target = chip(row.target))
            rows.push_back(calibration::predictTime(row, *target));
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
        if (row.target == target.name && row.ratio())
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
