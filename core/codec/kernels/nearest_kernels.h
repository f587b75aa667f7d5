// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: places of fp16 numbers among ascending bounds.
namespace kernscope::codec {

/// The bits of an fp16 number as an integer in the order of its value; -0 is just below 0.
constexpr std::int16_t halfOrder(std::uint16_t half)
{
    return static_cast<std::int16_t>((half & 0x8000u) != 0 ? half ^ 0x7fffu : half);
}

/// out[i]: how many bounds, at most 255 of them in halfOrder, lie below halves[i].
void countBelow(std::span<const std::uint16_t> halves, std::span<const std::int16_t> bounds,
                std::span<std::uint8_t> out);

} // namespace kernscope::codec
