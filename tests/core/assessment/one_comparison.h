// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/build_verdict.h"
#include "core/report/json.h"
#include "tests/test_program.h"

#include <nlohmann/json.hpp>

/// The verdict of a comparison against what decide says. The checks fail the test function that
/// calls them.
namespace kernscope::test {

/// What a comparison says of a build on each chip is the sum over what decide says of its weights.
/// Here of a bundle beside itself: both sides, and the document.
inline void comparisonAgrees(const Bundle &bundle, const DecisionTable &table,
                             const report::Json &decided)
{
    DiffOptions options;
    options.values = false;
    const auto difference = compareBundles(bundle, bundle, options);
    QVERIFY2(difference, difference ? "" : describe(difference.error()).c_str());
    const BuildVerdict verdict = buildVerdict(bundle, bundle, *difference);
    for (std::size_t column = 0; column < table.columns(); ++column) {
        const auto chip = std::ranges::find_if(verdict.chips, [&](const ChipOutcome &each) {
            return each.target == &table.target(column);
        });
        QVERIFY(chip != verdict.chips.end());
        std::map<std::string, std::size_t> counts;
        std::uint64_t moved = 0;
        std::size_t open = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const report::Json &one = decided[row * table.columns() + column];
            ++counts[one["outcome"].get<std::string>()];
            const report::Json &bytes = one["bytes_moved"];
            moved += bytes.is_null() ? 0 : bytes.get<std::uint64_t>();
            open += bytes.is_null() ? 1 : 0;
        }
        const BuildOutcome expected{counts["streams"],
                                    counts["folds"],
                                    counts["dense"],
                                    counts["rejected"],
                                    counts["unknown"],
                                    moved,
                                    open};
        QVERIFY(chip->before == expected);
        QVERIFY(chip->after == expected);
    }
}

} // namespace kernscope::test
