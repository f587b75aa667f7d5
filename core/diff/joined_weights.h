// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"
#include "core/diff/value_difference.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// One of the weights that stand side by side in a larger one.
struct JoinedPart {
    std::size_t weight = kNoIndex;      ///< index into Bundle::weights() of its side
    std::uint64_t first = 0, count = 0; ///< where it stands in the whole, along the axis
    /// The values are the same: all of them where they were compared, the sampled ones before.
    bool exact = false;
    /// Correlation of the sampled values, or the share of the same ones where that is nine of ten
    /// and more; 1 where they all are the same.
    double similarity = 0;
    /// Of B against A, by elements of the part; empty where not compared.
    std::optional<ValueDifference> values;
    std::optional<Error> fault; ///< why the values could not be compared
};

/// A weight of one side that is several of the other side, put together along one axis: the
/// queries, keys and values of attention in one weight and in three.
struct JoinedWeights {
    bool split = true; ///< A has the whole and B its parts; false (merged): the other way round
    std::size_t whole = kNoIndex;
    std::size_t axis = 0;
    std::vector<JoinedPart> parts; ///< in their order along the axis, two and more
    bool exact = false;            ///< of every part

    std::size_t weightA(std::size_t part) const { return split ? whole : parts[part].weight; }
    std::size_t weightB(std::size_t part) const { return split ? parts[part].weight : whole; }
    std::string_view name() const { return split ? "split" : "merged"; }
    /// Every part was compared and has the same values.
    bool sameValues() const;
};

/// "split: part 2 of 3, elements 64 to 127 of axis 0"; of merged ones likewise.
std::string joinedText(const JoinedWeights &joined, std::size_t part);
/// What came of a part: "split, same values", "merged, 3 values differ", "split".
std::string joinedVerdict(const JoinedWeights &joined, std::size_t part);

/// Fills in the values or the fault of every part. False where cancelled. Progress in elements.
/// Takes the files' locks itself.
bool compareJoined(const Bundle &a, const Bundle &b, JoinedWeights &joined, double tolerance,
                   Progress *progress = nullptr);

namespace diff {

/// Weights of either side that are several of the other: of the same rank, with the same extents
/// but along one axis, where they add up. Recognised by at most 1,024 samples of every part:
/// all the same, or, where not `exact`, correlated as chance does not explain. No weight twice.
/// Hold the files for reading.
std::vector<JoinedWeights> findJoined(const Bundle &a, std::span<const std::size_t> weightsA,
                                      const Bundle &b, std::span<const std::size_t> weightsB,
                                      bool exact, const Progress *progress = nullptr);

} // namespace diff

} // namespace kernscope
