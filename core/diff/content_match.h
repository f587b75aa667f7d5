// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/channel_order.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::diff {

/// Two weights that hold nearly the same values: stored otherwise, rounded, pruned, trained on, or
/// with their channels in another order.
struct ContentMatch {
    std::size_t a = kNoIndex, b = kNoIndex; ///< indices into Bundle::weights()
    double similarity = 0;                  ///< correlation of their samples
    double next = 0; ///< of the most similar other candidate of either; 0 where there is none
    std::optional<ChannelOrder> order; ///< empty: the channels stand in the same order
};

/// Pairs weights of one shape (extents of one do not count) by what they hold: the most similar
/// first, each once, only where chance does not explain it. Then those whose channels are in
/// another order. Decodes at most WeightSketch::kMostElements of each along either axis. Hold the
/// files for reading.
std::vector<ContentMatch> matchContent(const Bundle &a, std::span<const std::size_t> weightsA,
                                       const Bundle &b, std::span<const std::size_t> weightsB,
                                       const Progress *progress = nullptr);

} // namespace kernscope::diff
