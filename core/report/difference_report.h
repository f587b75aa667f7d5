// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/build_verdict.h"
#include "core/diff/codebook_match.h"
#include "core/diff/form_check.h"
#include "core/diff/limits.h"
#include "core/diff/worst_places.h"
#include "core/report/json.h"
#include "core/report/range_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kernscope::report {

/// In which order a report has the pairs of weights.
enum class RowOrder : std::uint8_t { OfA, WorstFirst };

/// One comparison with what its limits and its figures say of it.
struct CheckedDifference {
    BundlePtr a, b;
    Difference difference;
    std::vector<LimitFault> faults; ///< of checkLimits: none where all holds
    BuildVerdict verdict;
    /// What checkForm() found, by index in Difference::weights; empty where it was not asked for.
    std::vector<std::pair<std::size_t, FormCheck>> forms = {};
    /// What findWorstPlaces() found, likewise.
    std::vector<std::pair<std::size_t, WorstPlaces>> worst = {};
    /// What matchCodebooks() found, likewise.
    std::vector<std::pair<std::size_t, CodebookMatch>> codebooks = {};

    /// Ranges of bytes that differ; empty where they were not asked for.
    std::optional<RangeList> ranges = {};
    RowOrder order = RowOrder::OfA; ///< of the tables of weights in its reports

    bool holds() const { return faults.empty(); }
};

/// Codebooks entry to entry, as `diff --codebooks` has them.
Json codebookMatchJson(const CodebookMatch &match);
/// `diff` of two builds, with its `verdict`.
Json checkedDifferenceJson(const CheckedDifference &checked);
/// Of several builds against the first: `comparisons`, each as that of two, and `matrix`, weights
/// down and builds across.
Json differencesJson(std::span<const CheckedDifference> all);

} // namespace kernscope::report
