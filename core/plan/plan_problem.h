// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/plan/select.h"

/// Private to plans: a survey in the terms of the selection.
namespace kernscope::plan {

/// The items that are planned.
struct PlannedItems {
    std::vector<std::vector<std::size_t>> members; ///< rows, by item
    std::vector<std::vector<std::size_t>>
        possible;                                  ///< candidates of the chips and by hand, by item
    std::vector<std::vector<std::size_t>> allowed; ///< of those, within the tolerance
    std::vector<bool> forced;                      ///< by row
    std::uint64_t fixedStored = 0; ///< bytes that stay whatever is chosen; shared parts as if so
    double energy = 0;
};
/// Errors: "plan.forced".
Result<PlannedItems> networkOf(const Survey &survey, const Limits &limits);

Problem problemOf(const Survey &survey, const PlannedItems &network, const Limits &limits,
                  Goal goal);

/// The choices of all possible candidates, with the squared error against a cost.
std::vector<std::vector<ItemChoice>> choicesOf(const Survey &survey, const PlannedItems &network,
                                               Goal goal);

/// From a candidate for each item to one for each row.
std::vector<std::size_t> spread(const Survey &survey, const PlannedItems &network,
                                const std::vector<std::size_t> &candidates);

} // namespace kernscope::plan
