// SPDX-License-Identifier: GPL-3.0-or-later
// `calibrate`: every published measurement beside what the assessment predicts for it.
#include "core/assessment/calibrate.h"
#include "app/cli/chips.h"
#include "app/cli/text_output.h"
#include "core/report/calibration_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;
using roofline::CalibrationRow;

std::string valueText(const CalibrationRow &row, double value)
{
    return row.unit == "s" ? fmt::format("{:.4g} us", 1e6 * value) : fmt::format("{:.3f}", value);
}

std::string rowsText(const std::vector<CalibrationRow> &rows)
{
    Table table({{"chip"},
                 {"measurement"},
                 {"form"},
                 {"measured", Table::Align::Right},
                 {"predicted", Table::Align::Right},
                 {"ratio", Table::Align::Right},
                 {"within"},
                 {"condition"},
                 {"source"}});
    for (const CalibrationRow &row : rows)
        table.add({row.target, (row.goal ? "* " : "  ") + row.measurement, row.form,
                   row.low == row.high ? valueText(row, row.low)
                                       : fmt::format("{:.3f} to {:.3f}", row.low, row.high),
                   row.predicted ? valueText(row, *row.predicted) : "-",
                   row.ratio() ? fmt::format("{:.2f}", *row.ratio()) : "-", yesNo(row.within()),
                   row.condition, row.source});
    return table.text();
}

std::string figuresOfText(const std::vector<roofline::PublishedFigure> &figures)
{
    Table table({{"chip"},
                 {"figure"},
                 {"form"},
                 {"published", Table::Align::Right},
                 {"unit"},
                 {"predicted", Table::Align::Right},
                 {"condition"},
                 {"source"}});
    for (const roofline::PublishedFigure &figure : figures)
        table.add({figure.target, figure.measurement, figure.form,
                   figure.low == figure.high ? fmt::format("{:g}", figure.low)
                                             : fmt::format("{:g} to {:g}", figure.low, figure.high),
                   figure.unit, figure.predicted ? fmt::format("{:.3g}", *figure.predicted) : "-",
                   figure.condition, figure.source});
    return table.empty()
               ? std::string()
               : heading("Other published figures (- nothing predicts them)") + table.text();
}

/// How many rows are met, and which effects the model lacks where it is off.
std::string summaryText(const std::vector<CalibrationRow> &rows)
{
    std::size_t met = 0, compared = 0, goals = 0, goalsMet = 0;
    std::vector<std::pair<std::string, std::size_t>> missing;
    for (const CalibrationRow &row : rows) {
        const bool within = row.within().value_or(false);
        compared += row.predicted ? 1 : 0;
        met += within ? 1 : 0;
        goals += row.goal ? 1 : 0;
        goalsMet += row.goal && within ? 1 : 0;
        if (within)
            continue;
        const auto at = std::find_if(missing.begin(), missing.end(),
                                     [&](const auto &each) { return each.first == row.missing; });
        if (at == missing.end())
            missing.emplace_back(row.missing, 1);
        else
            ++at->second;
    }
    std::string text =
        fmt::format("\n  {} of {} predictions within {:.0f} % ({} rows); * goals: {} "
                    "of {}\n",
                    met, compared, 100 * roofline::kCalibrationGoal, rows.size(), goalsMet, goals);
    for (const auto &[effect, count] : missing)
        text += fmt::format("  missing in {}: {}\n", count, effect);
    return text;
}

} // namespace

int runCalibrate(const ChipOptions &, Session &session)
{
    const target::Target *target = nullptr;
    if (!session.target.empty()) {
        const auto named = target::findTarget(session.target);
        if (!named)
            return refuseTarget(session, "calibrate", named.error());
        target = named->target;
    }
    const std::vector<CalibrationRow> rows = roofline::calibrate(target);
    const auto figures = roofline::publishedFigures(target);
    if (!session.json) {
        if (!session.quiet)
            print((rows.empty() ? "No measurement of this chip is published.\n"
                                : rowsText(rows) + summaryText(rows)) +
                  figuresOfText(figures));
        return kDone;
    }
    Json document = report::document("calibrate");
    document["target"] = target ? Json(target->name) : Json(nullptr);
    document["within_goal"] = roofline::kCalibrationGoal;
    document["rows"] = report::calibrationJson(rows);
    document["figures"] = report::publishedFiguresJson(figures);
    printDocument(session, document, {});
    return kDone;
}

} // namespace kernscope::cli
