// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Private to the codec: tables by the bits of a mask.
namespace kernscope::codec {

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
