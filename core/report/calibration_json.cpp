// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/calibration_json.h"

#include "core/report/json_values.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

Json calibrationRow(const roofline::CalibrationRow &row)
{
    Json json;
    json["measurement"] = row.measurement;
    json["target"] = row.target;
    json["form"] = row.form;
    json["condition"] = row.condition;
    json["source"] = row.source;
    json["unit"] = row.unit;
    json["measured"] = row.measured();
    json["measured_low"] = row.low;
    json["measured_high"] = row.high;
    json["predicted"] = optionalJson(row.predicted);
    json["ratio"] = optionalJson(row.ratio());
    json["within"] = optionalJson(row.within());
    json["goal"] = row.goal;
    json["basis"] = row.basis;
    json["fitted_on"] = row.fittedOn.empty() ? Json(nullptr) : Json(row.fittedOn);
    json["missing_effect"] = row.missing.empty() ? Json(nullptr) : Json(row.missing);
    return json;
}

Json publishedFigure(const roofline::PublishedFigure &figure)
{
    Json json;
    json["measurement"] = figure.measurement;
    json["target"] = figure.target;
    json["form"] = figure.form;
    json["unit"] = figure.unit;
    json["measured_low"] = figure.low;
    json["measured_high"] = figure.high;
    json["predicted"] = optionalJson(figure.predicted);
    json["basis"] = figure.basis.empty() ? Json(nullptr) : Json(figure.basis);
    json["condition"] = figure.condition;
    json["source"] = figure.source;
    json["confidence"] = format::confidenceName(figure.confidence);
    return json;
}

} // namespace

Json calibrationJson(const std::vector<roofline::CalibrationRow> &rows)
{
    Json list = Json::array();
    for (const roofline::CalibrationRow &row : rows)
        list.push_back(calibrationRow(row));
    return list;
}

Json publishedFiguresJson(const std::vector<roofline::PublishedFigure> &figures)
{
    Json list = Json::array();
    for (const roofline::PublishedFigure &figure : figures)
        list.push_back(publishedFigure(figure));
    return list;
}

} // namespace kernscope::report
