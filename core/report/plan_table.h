// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"
#include "core/report/plan_report.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The rows of a plan: `plan` and its dock.
namespace kernscope::report {

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
const TableOf<PlannedWeight> &plannedWeightTable();

/// A point of a front of error against a cost.
struct FrontRow {
    std::string_view front; ///< "stored" or "time"
    const plan::FrontPoint *point = nullptr;
    const PlanSubject *subject = nullptr;
};
std::vector<FrontRow> frontRows(const PlanSubject &subject, std::string_view front,
                                const std::vector<plan::FrontPoint> &points);
const TableOf<FrontRow> &frontTable();

} // namespace kernscope::report
