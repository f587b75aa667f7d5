// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace kernscope::section {

/// A range of bytes with a number of the caller's.
struct PlacedRange {
    std::uint64_t offset = 0, bytes = 0; ///< their sum does not pass 2^64
    std::uint64_t number = 0;
};
/// `number` begins within `holder`, which begins no later.
struct Overlap {
    std::uint64_t holder = 0, number = 0;
    friend bool operator==(const Overlap &, const Overlap &) = default;
};
/// Every range that begins before an earlier one has ended, also where others lie in between; of
/// those that it could be set against, the one that reaches furthest. Ranges without bytes overlap
/// nothing. In the order of their offsets.
std::vector<Overlap> overlapsOf(std::vector<PlacedRange> ranges);

} // namespace kernscope::section
