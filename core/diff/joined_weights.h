// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kernscope::diff {

/// Weights of either side that are several of the other: of the same rank, with the same extents
/// but along one axis, where they add up. Recognised by at most 1,024 samples of every part:
/// all the same, or, where not `exact`, correlated as chance does not explain. No weight twice.
/// The pairs of one of them stand together, in the order of its parts. Hold the files for reading.
std::vector<ComparedPair> findJoined(const Bundle &a, std::span<const std::size_t> weightsA,
                                     const Bundle &b, std::span<const std::size_t> weightsB,
                                     bool exact, const Progress *progress = nullptr);

} // namespace kernscope::diff
