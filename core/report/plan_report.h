// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/measure_build.h"
#include "core/plan/write_plan.h"
#include "core/report/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Plans as documents: what each weight was and becomes, before and after on every chip, the front.
namespace kernscope::report {

struct PlanSubject {
    std::string bundle; ///< name of what was planned
    std::string output; ///< what was written; empty where nothing was
    const plan::Survey *survey = nullptr;
    const plan::Plan *plan = nullptr;
    const plan::Limits *limits = nullptr;
    const std::vector<plan::RaisedModel> *raised = nullptr; ///< null: nothing was carried out
    std::vector<plan::Build> builds; ///< other builds of the network, for comparison
    bool candidates = false;         ///< with every form that was tried
};

/// Everything of `plan`.
Json planJson(const PlanSubject &subject);

/// A line a weight, with a header; RFC 4180.
std::string planCsv(const PlanSubject &subject);
std::string planMarkdown(const PlanSubject &subject);
/// One page that needs nothing else: tables, and the fronts as pictures.
std::string planHtml(const PlanSubject &subject);

/// The report that a name's ending asks for: ".json", ".csv", ".md", else the page.
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

/// A line of the totals on a chip: "H13 engine time s".
struct ProgramRow {
    std::string name;
    std::optional<double> before, after; ///< seconds; empty: not known
};
/// What the program takes on a target: engine, floor of its dispatches, both.
std::vector<ProgramRow> programRows(const PlanSubject &subject, std::size_t target);

/// What is to be known of this plan, in a sentence each: a goal that was not given, times that are
/// not known and what that leaves out. Empty where there is nothing to say.
std::vector<std::string> planNotes(const PlanSubject &subject);

} // namespace kernscope::report
