// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_totals_table.h"

namespace kernscope::report {

namespace {

constexpr auto kTotalNumber = TextTable::Align::Right;
constexpr std::string_view kNotKnown = "unknown";

/// Four significant digits.
Value errorValue(double error)
{
    return Real{error, 4, true};
}

} // namespace

std::vector<PlanTotal> planTotals(const PlanSubject &subject)
{
    const plan::Survey &survey = *subject.survey;
    const plan::PlanTotals &before = subject.plan->before, &after = subject.plan->after;
    std::vector<PlanTotal> rows{
        {"stored bytes", known<Count>(before.allStored()), known<Count>(after.allStored())},
        {"error of the network", errorValue(before.error), errorValue(after.error)},
        {"largest error of a layer", errorValue(before.largestError),
         errorValue(after.largestError)}};
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        rows.push_back({survey.targets[t]->name + " bytes moved", known<Count>(before.moved[t]),
                        known<Count>(after.moved[t])});
        for (const ProgramRow &row : programRows(subject, t))
            rows.push_back({row.name, known<Seconds>(row.before), known<Seconds>(row.after)});
    }
    return rows;
}

const TableOf<PlanTotal> &planTotalsTable()
{
    static const TableOf<PlanTotal> kTable{
        "plan_totals",
        {{.key = "name",
          .title = "figure",
          .explanation = "What is summed over the network",
          .value = [](const PlanTotal &row) -> Value { return View(row.name); }},
         {.key = "before",
          .title = "before",
          .explanation = "As it is stored now",
          .align = kTotalNumber,
          .unknown = kNotKnown,
          .value = [](const PlanTotal &row) { return row.before; }},
         {.key = "after",
          .title = "after",
          .explanation = "As it is planned",
          .align = kTotalNumber,
          .unknown = kNotKnown,
          .value = [](const PlanTotal &row) { return row.after; }}}};
    return kTable;
}

std::vector<BuildTotals> buildTotals(const PlanSubject &subject, bool own)
{
    std::vector<BuildTotals> rows;
    if (own)
        rows.push_back({"this plan", &subject.plan->after});
    for (const plan::Build &build : subject.builds)
        rows.push_back({build.name, &build.totals});
    return rows;
}

const TableOf<BuildTotals> &buildTotalsTable()
{
    using Row = BuildTotals;
    static const TableOf<Row> kTable{
        "plan_builds",
        {{.key = "bundle",
          .title = "build",
          .explanation = "A build of the network",
          .align = TextTable::Align::Name,
          .value = [](const Row &row) -> Value { return row.name; }},
         {.key = "error",
          .title = "error of the network",
          .explanation = "Root of the summed squared errors of its layers",
          .align = kTotalNumber,
          .value = [](const Row &row) { return errorValue(row.totals->error); }},
         {.key = "largest_error",
          .title = "largest error of a layer",
          .explanation = "The error of the layer that has the largest",
          .align = kTotalNumber,
          .value = [](const Row &row) { return errorValue(row.totals->largestError); }},
         {.key = "bytes",
          .title = "stored bytes",
          .explanation = "Stored bytes of all its weights",
          .align = kTotalNumber,
          .unknown = kNotKnown,
          .value = [](const Row &row) { return known<Count>(row.totals->allStored()); }},
         {.key = "time_s",
          .title = "time",
          .unit = "s",
          .explanation = "Predicted time on the slowest chip",
          .align = kTotalNumber,
          .unknown = kNotKnown,
          .value = [](const Row &row) { return known<Seconds>(plan::slowest(*row.totals)); }}}};
    return kTable;
}

} // namespace kernscope::report
