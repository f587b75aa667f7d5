// SPDX-License-Identifier: GPL-3.0-or-later
// `calibrate`: every published measurement beside what the assessment predicts for it.
#include "core/assessment/calibrate.h"
#include "app/cli/chips.h"
#include "app/cli/text_output.h"
#include "core/report/calibration_table.h"
#include "core/report/command_json.h"
#include "core/report/json_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using roofline::CalibrationRow;

std::string figuresOfText(const std::vector<roofline::PublishedFigure> &figures)
{
    return figures.empty() ? std::string()
                           : heading("Other published figures (- nothing predicts them)") +
                                 terminalText(textTable(report::publishedFigureTable(), figures));
}

/// How many rows are met, and which effects the model lacks where it is off.
std::string calibrationSummary(const std::vector<CalibrationRow> &rows)
{
    std::size_t met = 0, compared = 0, goals = 0, goalsMet = 0;
    std::vector<std::pair<const CalibrationRow *, std::size_t>> missing;
    for (const CalibrationRow &row : rows) {
        const bool within = row.within().value_or(false);
        compared += row.predicted ? 1 : 0;
        met += within ? 1 : 0;
        goals += row.goal ? 1 : 0;
        goalsMet += row.goal && within ? 1 : 0;
        if (within)
            continue;
        const auto at = std::find_if(missing.begin(), missing.end(), [&](const auto &each) {
            return each.first->missing == row.missing;
        });
        if (at == missing.end())
            missing.emplace_back(&row, 1);
        else
            ++at->second;
    }
    std::string text =
        fmt::format("\n  {} of {} predictions within {:.0f} % ({} rows); * goals: {} "
                    "of {}\n",
                    met, compared, 100 * roofline::kCalibrationGoal, rows.size(), goalsMet, goals);
    for (const auto &[row, count] : missing)
        text += fmt::format("  missing in {}: {} [{}]\n", count, row->missing, row->missingSource);
    return text;
}

} // namespace

int runCalibrate(const ChipOptions &, Context &context)
{
    const target::Target *target = nullptr;
    if (!context.target.empty()) {
        const auto named = target::findTarget(context.target);
        if (!named)
            return refuseTarget(context, "calibrate", named.error());
        target = named->target;
    }
    const std::vector<CalibrationRow> rows = roofline::calibrate(target);
    const auto figures = roofline::publishedFigures(target);
    if (!context.json) {
        if (!context.quiet)
            print((rows.empty() ? "No measurement of this chip is published.\n"
                                : terminalText(textTable(report::calibrationTable(), rows)) +
                                      calibrationSummary(rows)) +
                  figuresOfText(figures));
        return kDone;
    }
    printDocument(context, report::calibrateJson(target, rows, figures), {});
    return kDone;
}

} // namespace kernscope::cli
