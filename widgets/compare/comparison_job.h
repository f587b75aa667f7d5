// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/pair_table.h"
#include "widgets/compare/comparison_outcome.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kernscope::ui {

/// What the worker has found since the GUI thread last looked.
struct ComparisonInbox {
    std::mutex mutex;
    std::optional<std::vector<report::PairRow>> rows;
    std::shared_ptr<const Difference> files;
    ComparisonOutcomePtr outcome;
    struct Finding {
        std::size_t row = 0;
        report::PairRow found;
    };
    std::vector<Finding> pairs;
};

/// What one run found out, with the fingerprints that it holds for. The bundles are kept so that
/// the addresses in the fingerprints are not used again.
struct ComparisonMemory {
    using PairKey = std::pair<std::size_t, std::size_t>;

    BundlePtr a, b;
    std::vector<PairChoice> chosen; ///< pairs by hand
    std::vector<std::uint64_t> printsA, printsB;
    std::map<PairKey, ValueDifference> values;

    /// Values of a pair whose stored bytes are the same `now`; null where they may not be.
    const ValueDifference *find(const ComparisonMemory &now, PairKey key) const;
};

/// Compares `now->b` against `now->a` in stages, handing each to the inbox: the rows, what the
/// files say, the values of one pair after the other, and what it all comes to. Values that
/// `before` still holds for are not read again. Runs on a worker; progress in elements.
void runComparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox,
                   Progress &progress);

} // namespace kernscope::ui
