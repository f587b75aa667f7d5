// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Groups of up to eight fp16 numbers of which only those are stored that a mask byte names.
namespace kernscope::codec {

struct KeptGroups {
    std::span<const std::byte> bytes;
    std::size_t at = 0;  ///< byte of the first group's first stored number
    std::size_t gap = 0; ///< bytes between the numbers of a group and those of the next
    std::span<const std::byte> masks; ///< one a group
    unsigned lane = 0, rows = 1;      ///< lanes [lane, lane + rows) of eight are wanted
    bool lines = false; ///< past the caches: groups are a multiple of 32, `out` and `step` begin
                        ///< cache lines
};

/// out[row x step + group] = the number of lane `lane + row` of the group, 0 where it is not
/// stored. Returns the byte behind the last group and its gap. What the masks name lies in `bytes`.
std::size_t expandGroups(const KeptGroups &groups, std::uint16_t *out, std::size_t step);

} // namespace kernscope::codec
