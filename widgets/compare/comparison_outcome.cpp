// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/comparison_outcome.h"

#include <utility>

namespace kernscope::ui {

ComparisonOutcome::ComparisonOutcome(BundlePtr ofA, BundlePtr ofB, Difference found)
    : a(std::move(ofA)), b(std::move(ofB)), difference(std::move(found)), before(*a, allTargets()),
      after(*b, allTargets()), verdict(buildVerdict(*a, *b, difference, before, after))
{
}

} // namespace kernscope::ui
