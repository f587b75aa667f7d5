// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/half.h"
#include "tests/test_program.h"

/// fp16 to E5M2 in every reading of the engine's cast (resources/formats/numbers.md), by the bits
/// of fp16: what the casts of fp32 and the tables of the data folder are compared with.
namespace kernscope::test {

constexpr std::uint32_t bitsOf(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

/// How fp16 becomes E5M2. The engine's text fixes neither ties nor NaN: `Reference` is what public
/// code does, the others are the readings that the text leaves open (contested, C3).
enum class E5m2Cast : std::uint8_t {
    Reference, ///< ties to even, NaN kept, overflow to infinity ("nosat")
    Saturate,  ///< as Reference, infinity and overflow to the largest finite value 0x7b
    Clamp,     ///< rounded magnitude limited to 0x7c00: NaN becomes infinity
    Away,      ///< ties away from zero, otherwise as Reference
    Truncate   ///< the upper byte
};

/// fp16 bits to an E5M2 code.
constexpr std::uint8_t halfToE5m2(std::uint16_t half, E5m2Cast cast = E5m2Cast::Reference)
{
    const std::uint32_t sign = (half >> 8) & 0x80u;
    const std::uint32_t magnitude = half & 0x7fffu;
    const std::uint32_t even = magnitude + 0x7fu + ((magnitude >> 8) & 1u);
    std::uint32_t code = 0;
    if (cast == E5m2Cast::Truncate)
        code = magnitude >> 8;
    else if (cast == E5m2Cast::Clamp)
        code = std::min<std::uint32_t>(even, kHalfInfinity) >> 8;
    else if (magnitude > kHalfInfinity)
        code = (magnitude >> 8) | 2u;
    else if (cast == E5m2Cast::Away)
        code = (magnitude + 0x80u) >> 8;
    else if (cast == E5m2Cast::Saturate)
        code = std::min<std::uint32_t>(even >> 8, 0x7bu);
    else
        code = even >> 8;
    return std::uint8_t(sign | code);
}

} // namespace kernscope::test
