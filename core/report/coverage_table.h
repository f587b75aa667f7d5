// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/coverage.h"
#include "core/report/column.h"

#include <string>
#include <vector>

/// What was compressed, as `inspect --coverage` shows it.
namespace kernscope::report {

struct CoverageLine {
    const Bundle *bundle = nullptr;
    const CoverageRow *row = nullptr;
};
std::vector<CoverageLine> coverageLines(const Bundle &bundle, const Coverage &coverage);
const TableOf<CoverageLine> &coverageTable();

/// "4.31 bits a weight, 1,234,567 parameters, 3 weights are not in the form expected (12,288 B)".
std::string coverageSentence(const Coverage &coverage, const CoverageRules &rules);
/// `"coverage"` of the document of `inspect`.
void addCoverage(Json &document, const Bundle &bundle, const Coverage &coverage,
                 const CoverageRules &rules);

} // namespace kernscope::report
