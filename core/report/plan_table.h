// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/judge_content.h"
#include "core/plan/write_plan.h"
#include "core/report/json.h"
#include "core/report/verdict.h"

/// Plans as documents: what each weight was and becomes, before and after on every chip, the front.
namespace kernscope::report {

struct PlanSubject {
    std::string bundle; ///< name of what was planned
    std::string output; ///< what was written; empty where nothing was
    const plan::Survey *survey = nullptr;
    const plan::Plan *plan = nullptr;
    const plan::Limits *limits = nullptr;
    const std::vector<plan::RaisedModel> *raised = nullptr; ///< null: nothing was carried out
    std::vector<plan::Build> builds;            ///< other builds of the network, for comparison
    bool candidates = false;                    ///< with every form that was tried
    std::optional<ProgramVerdict> verdict = {}; ///< of the program as it is, on the first chip
};

/// Everything of `plan`.
Json planJson(const PlanSubject &subject);

/// The report by a name's ending: ".json", ".csv", ".md", else the page.
std::string planReport(std::string_view ending, const PlanSubject &subject);

/// How errors are summed and chips are taken together, in a sentence each.
std::vector<std::string> planRules(const plan::Survey &survey);

/// What sources disagree on in the answers for the forms that the weights have and get, each once:
/// "palette2 on H13: Followed: …".
std::vector<std::string> contestedOf(const PlanSubject &subject);

/// Whose times a plan's are: "the slowest chip", or where the ceilings of some are not known "H13",
/// "the slowest of H13, H17s".
std::string timedChips(const plan::Survey &survey);

/// "Front: error against stored bytes", and what is left out of it.
std::string frontTitle(std::string_view axis, const std::vector<plan::FrontPoint> &points,
                       const plan::FrontCount &count);

/// Notes on the plan, one sentence each: a goal that was not given, times that are
/// not known and what that leaves out. Empty where there is nothing to say.
std::vector<std::string> planNotes(const PlanSubject &subject);

// The rows of a plan: `plan` and its dock.

/// A weight and the form that it gets.
struct PlannedWeight {
    const plan::Survey *survey = nullptr;
    std::size_t number = 0; ///< of the row
    std::size_t choice = 0; ///< among the row's candidates
    std::string_view why;
    bool withCandidates = false; ///< JSON has every form that was tried
    bool ofSeveral = false;      ///< other weights of the program belong to other functions

    const plan::Row &row() const { return survey->rows[number]; }
    /// Stored now; empty: not known.
    std::optional<std::uint64_t> ownBytes() const { return plan::ownBytes(*survey, row()); }
    plan::Candidate before() const { return at(0); } ///< none where the weight is not planned
    plan::Candidate after() const { return at(choice); }
    plan::Candidate at(std::size_t place) const
    {
        return row().candidates ? (*row().candidates)[place] : plan::Candidate();
    }
};
/// Whether the weights of a survey belong to more than one function.
bool hasFunctions(const plan::Survey &survey);
/// A row a weight of the survey, with these choices and reasons. Points into all three.
std::vector<PlannedWeight> plannedWeights(const plan::Survey &survey,
                                          const std::vector<std::size_t> &choice,
                                          const std::vector<std::string> &why,
                                          bool withCandidates = false);
extern const TableOf<PlannedWeight> plannedWeightTable;

/// A point of a front of error against a cost.
struct FrontRow {
    std::string_view front; ///< "stored" or "time"
    const plan::FrontPoint *point = nullptr;
    const PlanSubject *subject = nullptr;
};
std::vector<FrontRow> frontRows(const PlanSubject &subject, std::string_view front,
                                const std::vector<plan::FrontPoint> &points);
extern const TableOf<FrontRow> frontTable;

// Sums of a plan: on the command line and in its reports.

/// A figure of the network before and after.
struct PlanTotal {
    std::string name; ///< with its unit: "H13 bytes moved"
    Value before, after;
};
std::vector<PlanTotal> planTotals(const PlanSubject &subject);
extern const TableOf<PlanTotal> planTotalsTable;

/// A build of the network, measured by the same rules. Nothing is owned.
struct BuildTotals {
    std::string_view name;
    const plan::PlanTotals *totals = nullptr;
};
/// The other builds; with `own` the planned one first.
std::vector<BuildTotals> buildTotals(const PlanSubject &subject, bool own);
extern const TableOf<BuildTotals> buildTotalsTable;

} // namespace kernscope::report
