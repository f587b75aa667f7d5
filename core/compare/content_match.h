// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

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
/// another order, and matrices that the other side has transposed. Decodes at most
/// WeightSketch::kMostElements of each along either axis. Hold the files for reading.
std::vector<ContentMatch> matchContent(const Bundle &a, std::span<const std::size_t> weightsA,
                                       const Bundle &b, std::span<const std::size_t> weightsB,
                                       const Progress *progress = nullptr);

/// Elements of a weight that its content is recognised by; of a larger one, runs spread over it.
inline constexpr std::uint64_t kKeyElements = 65536;

enum class KeyPrecision : std::uint8_t {
    Stored, ///< the values as they are
    Half,   ///< rounded to fp16
};

/// Digest of at most kKeyElements decoded elements, with the number of all: the same for the same
/// values, whatever the sign of a zero and the payload of a NaN. Empty where the weight cannot be
/// decoded, or where rounding makes zero or infinity out of a value, which tells nothing apart any
/// more. Hold the files for reading.
std::string contentKey(const Bundle &bundle, std::size_t weight, KeyPrecision precision);

/// Digest of samples of a matrix (extents of one do not count), rounded to fp16, by row and column;
/// of one that is `turned`, by column and row: the same for a matrix and its transpose. Empty for
/// others, and where the samples tell too little. Hold the files for reading.
std::string turnedKey(const Bundle &bundle, std::size_t weight, bool turned);

/// Weights of either side that are several of the other: of the same rank, with the same extents
/// but along one axis, where they add up. Recognised by at most 1,024 samples of every part:
/// all the same, or, where not `exact`, correlated as chance does not explain. No weight twice.
/// The pairs of one of them stand together, in the order of its parts. Hold the files for reading.
std::vector<ComparedPair> findJoined(const Bundle &a, std::span<const std::size_t> weightsA,
                                     const Bundle &b, std::span<const std::size_t> weightsB,
                                     bool exact, const Progress *progress = nullptr);

} // namespace kernscope::diff
