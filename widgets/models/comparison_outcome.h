// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/compare/build_verdict.h"
#include "core/compare/compare.h"

#include <memory>
#include <utility>

namespace kernscope::ui {

/// What a comparison comes to once every value was compared.
struct ComparisonOutcome {
    ComparisonOutcome(BundlePtr ofA, BundlePtr ofB, Difference found)
        : a(std::move(ofA)), b(std::move(ofB)), difference(std::move(found)),
          before(*a, allTargets()), after(*b, allTargets()),
          verdict(buildVerdict(*a, *b, difference, before, after))
    {
    }

    BundlePtr a, b;
    Difference difference;       ///< with values
    DecisionTable before, after; ///< every weight of A, and of B, on every chip
    BuildVerdict verdict;
};
using ComparisonOutcomePtr = std::shared_ptr<const ComparisonOutcome>;

} // namespace kernscope::ui
