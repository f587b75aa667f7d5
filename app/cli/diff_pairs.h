// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"
#include "core/diff/worst_places.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::cli {

/// Choices of `--pair`: "A=B" makes a pair of two weights, named as in either bundle; "A=" and "=B"
/// leave a weight without a partner. One list for every build after the first. A build that does
/// not have the weight of B is not concerned; a choice that concerns none is an error, as is a
/// weight that A does not have: "diff.pair".
Result<std::vector<std::vector<PairChoice>>> pairChoices(std::span<const std::string> texts,
                                                         std::span<const BundlePtr> bundles);

/// Distances of `--steps`, either side of the colon may be left out; nothing for what is no range.
std::optional<ElementChoice::Steps> stepsOf(std::string_view text);

} // namespace kernscope::cli
