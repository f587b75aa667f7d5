// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/report/column.h"

#include <string_view>
#include <vector>

namespace kernscope::report {

/// A weight on one chip, as `decide` lists it. JSON has the same figures under the same keys, each
/// with its reasons, and is written piece by piece (chip_json.h).
struct DecisionFacts {
    const Weight *weight = nullptr;
    roofline::Assessment assessed;
};
/// Of every weight on the table's first chip.
std::vector<DecisionFacts> decisionFacts(const Bundle &bundle, const DecisionTable &table);
const TableOf<DecisionFacts> &decisionTable();

/// "S" streams, "F" folds, "-" dense, "X" rejected, "?" not known.
std::string_view outcomeLetter(decision::Outcome outcome);
/// Weights down, chips across, a letter each.
TextTable outcomeMatrix(const Bundle &bundle, const DecisionTable &table);

} // namespace kernscope::report
