// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/overlap.h"

#include <algorithm>
#include <tuple>

namespace kernscope::section {

std::vector<Overlap> overlapsOf(std::vector<PlacedRange> ranges)
{
    std::erase_if(ranges, [](const PlacedRange &range) { return range.bytes == 0; });
    std::sort(ranges.begin(), ranges.end(), [](const PlacedRange &a, const PlacedRange &b) {
        return std::tie(a.offset, a.number) < std::tie(b.offset, b.number);
    });
    std::vector<Overlap> overlaps;
    std::uint64_t end = 0, holder = 0; // of what reaches furthest so far
    for (const PlacedRange &range : ranges) {
        if (range.offset < end)
            overlaps.push_back({holder, range.number});
        if (range.offset + range.bytes > end) {
            end = range.offset + range.bytes;
            holder = range.number;
        }
    }
    return overlaps;
}

} // namespace kernscope::section
