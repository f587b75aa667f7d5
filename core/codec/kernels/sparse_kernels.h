// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Spreading the values that a mask keeps over the places it keeps them at.
namespace kernscope::codec {

/// out[i] = the next survivor where bit `first` + i of the mask is set, 0 where it is clear or the
/// survivors have run out. `survivors` starts at the one of the first set bit. `streamed`: stored
/// past the caches; flushStream() is the caller's.
void expandHalves(std::span<const std::byte> mask, std::uint64_t first,
                  std::span<const std::byte> survivors, bool streamed,
                  std::span<std::uint16_t> out);
void expandBytes(std::span<const std::byte> mask, std::uint64_t first,
                 std::span<const std::uint8_t> survivors, std::span<std::uint8_t> out);
void expandFloats(std::span<const std::byte> mask, std::uint64_t first,
                  std::span<const float> survivors, std::span<float> out);

/// Sets out[i] to +0 where bit `first` + i of the mask is clear.
void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<std::uint16_t> out);
void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<float> out);

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
