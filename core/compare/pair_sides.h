// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernscope {

/// The part of a larger weight that is set against the weight of the other side: the queries, keys
/// and values of attention in one weight and in three.
struct WeightSlice {
    bool ofA = true; ///< A has the larger weight (split); false: B has it (merged)
    std::size_t axis = 0;
    std::uint64_t first = 0, count = 0; ///< place of the part along the axis
    std::size_t number = 0, parts = 0;  ///< part `number` of `parts`, in their order along the axis

    std::string_view name() const { return ofA ? "split" : "merged"; }
};

/// What is compared: two weights, or a weight and a slice of a larger one. kNoIndex: that side has
/// no such weight.
struct PairSides {
    std::size_t a = kNoIndex, b = kNoIndex; ///< indices into Bundle::weights()
    std::optional<WeightSlice> slice = {};

    bool both() const { return a != kNoIndex && b != kNoIndex; }
};

/// The weight whose elements are compared one by one: that of A; of a slice of A that of B.
const Weight &comparedWeight(const Bundle &a, const Bundle &b, const PairSides &sides);
/// "split: part 2 of 3, 64 to 127 of axis 0 of the whole"; of merged ones likewise.
std::string sliceText(const WeightSlice &slice);

namespace diff {

/// Where the elements of a slice lie in the larger weight: runs of `run` elements, the first of
/// them at `start`, `stride` apart.
struct PartElements {
    std::uint64_t start = 0, run = 1, stride = 1;

    /// Element of the whole for one of the part.
    std::uint64_t inWhole(std::uint64_t element) const
    {
        return element / run * stride + start + element % run;
    }
    /// The way back; nothing for an element of another part.
    std::optional<std::uint64_t> inPart(std::uint64_t element) const
    {
        const std::uint64_t at = element % stride;
        if (at < start || at - start >= run)
            return std::nullopt;
        return element / stride * run + at - start;
    }
};

/// Of sides with a slice.
PartElements sliceOf(const Bundle &a, const Bundle &b, const PairSides &sides);

} // namespace diff

} // namespace kernscope
