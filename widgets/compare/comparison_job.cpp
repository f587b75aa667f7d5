// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/comparison_job.h"

#include "core/bundle/pair_read_lock.h"
#include "core/diff/weight_fingerprint.h"

#include <utility>

namespace kernscope::ui {

const ValueDifference *ComparisonMemory::find(const ComparisonMemory &now, PairKey key) const
{
    const auto at = values.find(key);
    const auto [wa, wb] = key;
    const bool same = at != values.end() && wa < printsA.size() && wb < printsB.size() &&
                      wa < now.printsA.size() && wb < now.printsB.size() &&
                      printsA[wa] == now.printsA[wa] && printsB[wb] == now.printsB[wb];
    return same ? &at->second : nullptr;
}

void runComparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox,
                   Progress &progress)
{
    const Bundle &a = *now.a, &b = *now.b;
    ComparisonSteps steps;
    steps.paired = [&](PairedWeights &paired) {
        {
            const PairReadLock lock(a, b);
            now.printsA = weightFingerprints(a);
            now.printsB = weightFingerprints(b);
        }
        for (ComparedPair &pair : paired.pairs) {
            if (const auto *known = before ? before->find(now, {pair.a, pair.b}) : nullptr)
                pair.values = *known;
        }
        auto rows = report::pairRows(a, b, paired.pairs, paired.onlyA, paired.onlyB);
        const std::lock_guard guard(inbox.mutex);
        inbox.rows = std::move(rows);
    };
    steps.described = [&](const Difference &difference) {
        auto files = std::make_shared<const Difference>(difference);
        const std::lock_guard guard(inbox.mutex);
        inbox.files = std::move(files);
    };
    steps.compared = [&](std::size_t row, const ComparedPair &pair) {
        if (pair.values)
            now.values[{pair.a, pair.b}] = *pair.values;
        auto found = report::pairRow(a, b, pair);
        const std::lock_guard guard(inbox.mutex);
        inbox.pairs.push_back({row, std::move(found)});
    };
    auto whole = compareBundles(a, b, {.values = true, .bytes = false, .pairs = now.chosen},
                                &progress, steps);
    if (!whole)
        return;
    auto outcome = std::make_shared<const ComparisonOutcome>(now.a, now.b, *std::move(whole));
    const std::lock_guard guard(inbox.mutex);
    inbox.outcome = std::move(outcome);
}

} // namespace kernscope::ui
