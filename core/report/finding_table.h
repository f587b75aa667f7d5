// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/report/column.h"

#include <optional>
#include <vector>

namespace kernscope::report {

/// What is worth a look in a bundle, as `inspect --findings` and reports list it.
struct FindingRow {
    const Bundle *bundle = nullptr;
    const Finding *finding = nullptr;
};
std::vector<FindingRow> findingRows(const Bundle &bundle, const std::vector<Finding> &findings);
const TableOf<FindingRow> &findingTable();

/// Everything that is worth a look: of the tables, the values and the chips. `weights`: one entry a
/// weight, with figures and digests. Takes the bundle's lock itself. Where the progress is
/// cancelled: what was found.
std::vector<Finding> findAll(const Bundle &bundle,
                             const std::vector<std::optional<Statistics>> &weights,
                             Progress &progress);

} // namespace kernscope::report
