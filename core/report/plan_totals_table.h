// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"
#include "core/report/plan_report.h"

#include <string>
#include <string_view>
#include <vector>

/// Sums of a plan: on the command line and in its reports.
namespace kernscope::report {

/// A figure of the network before and after.
struct PlanTotal {
    std::string name; ///< with its unit: "H13 bytes moved"
    Value before, after;
};
std::vector<PlanTotal> planTotals(const PlanSubject &subject);
const TableOf<PlanTotal> &planTotalsTable();

/// A build of the network, measured by the same rules. Nothing is owned.
struct BuildTotals {
    std::string_view name;
    const plan::PlanTotals *totals = nullptr;
};
/// The other builds; with `own` the planned one first.
std::vector<BuildTotals> buildTotals(const PlanSubject &subject, bool own);
const TableOf<BuildTotals> &buildTotalsTable();

} // namespace kernscope::report
