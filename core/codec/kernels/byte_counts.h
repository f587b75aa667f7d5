// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

/// Private to the codec.
namespace kernscope::codec {

/// Set bits of the bytes of a word: byte i of `before` counts those in the bytes below it, so that
/// work on the eight groups need not wait for one another.
struct ByteCounts {
    std::uint64_t before = 0;
    std::size_t all = 0;
};

inline ByteCounts countsOf(std::uint64_t word)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t counts = word - (word >> 1 & 0x55 * kOnes);
    counts = (counts & 0x33 * kOnes) + (counts >> 2 & 0x33 * kOnes);
    counts = (counts + (counts >> 4)) & 0x0f * kOnes;
    const std::uint64_t sums = counts * kOnes;
    return {sums << 8, static_cast<std::size_t>(sums >> 56)};
}

/// Eight mask bits from any bit on; `last` is the mask's last byte.
inline unsigned maskByte(const std::uint8_t *mask, std::uint64_t bit, const std::uint8_t *last)
{
    const std::uint8_t *at = mask + bit / 8;
    const auto shift = static_cast<unsigned>(bit % 8);
    unsigned bits = *at;
    if (shift != 0 && at != last)
        bits |= static_cast<unsigned>(at[1]) << 8;
    return bits >> shift & 0xffu;
}

} // namespace kernscope::codec
