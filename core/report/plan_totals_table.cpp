// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/plan_totals_table.h"

namespace kernscope::report {

namespace {

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
    using Row = PlanTotal;
    static constexpr Column<Row> kColumns[] = {
        {"name", "figure", "What is summed over the network",
         [](const PlanTotal &row) -> Value { return View(row.name); }},
        {kNumber, "before", "before", "As it is stored now",
         [](const PlanTotal &row) { return row.before; }, unknownAs(kNotKnown)},
        {kNumber, "after", "after", "As it is planned",
         [](const PlanTotal &row) { return row.after; }, unknownAs(kNotKnown)},
    };
    static const TableOf<Row> kTable{"plan_totals", kColumns};
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
    static constexpr Column<Row> kColumns[] = {
        {kName, "bundle", "build", "A build of the network",
         [](const Row &row) -> Value { return row.name; }},
        {kNumber, "error", "error of the network",
         "Root of the summed squared errors of its layers",
         [](const Row &row) { return errorValue(row.totals->error); }},
        {kNumber, "largest_error", "largest error of a layer",
         "The error of the layer that has the largest",
         [](const Row &row) { return errorValue(row.totals->largestError); }},
        {kNumber, "bytes", "stored bytes", "Stored bytes of all its weights",
         [](const Row &row) { return known<Count>(row.totals->allStored()); },
         unknownAs(kNotKnown)},
        {kNumber, "time_s", "time", "Predicted time on the slowest chip",
         [](const Row &row) { return known<Seconds>(plan::slowest(*row.totals)); }, withUnit("s"),
         unknownAs(kNotKnown)},
    };
    static const TableOf<Row> kTable{"plan_builds", kColumns};
    return kTable;
}

} // namespace kernscope::report
