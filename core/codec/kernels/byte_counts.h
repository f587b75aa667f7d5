// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
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

/// For every byte of a mask, which of the next survivors each of eight places takes, as the order
/// of a byte shuffle over elements of `Size` bytes; 0x80 (zero) at the gaps.
template <std::size_t Size, std::size_t Places>
constexpr auto expandOrders()
{
    std::array<std::array<std::uint8_t, Size * Places>, std::size_t{1} << Places> orders{};
    for (std::size_t mask = 0; mask < orders.size(); ++mask) {
        std::size_t next = 0;
        for (std::size_t place = 0; place < Places; ++place) {
            const bool kept = (mask >> place & 1u) != 0;
            for (std::size_t b = 0; b < Size; ++b)
                orders[mask][place * Size + b] =
                    kept ? static_cast<std::uint8_t>(next * Size + b) : std::uint8_t{0x80};
            next += kept ? 1 : 0;
        }
    }
    return orders;
}

alignas(64) inline constexpr auto kHalfOrders = expandOrders<2, 8>();
alignas(64) inline constexpr auto kByteOrders = expandOrders<1, 8>();
alignas(64) inline constexpr auto kFloatOrders = expandOrders<4, 4>();

constexpr std::array<std::uint8_t, 256> bitCounts()
{
    std::array<std::uint8_t, 256> counts{};
    for (unsigned mask = 0; mask < 256; ++mask)
        counts[mask] = static_cast<std::uint8_t>(std::popcount(mask));
    return counts;
}
alignas(64) inline constexpr auto kBitCounts = bitCounts();

} // namespace kernscope::codec
