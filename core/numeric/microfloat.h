// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cstdint>

/// The formats of microscaled blocks, and fp16 to E5M2 in every reading of the engine's cast
/// (resources/formats/numbers.md). fp32 from and to E4M3FN and E5M2: half.h.
namespace kernscope {

/// E2M1 code (low nibble; 8 is the sign) to fp32, exact: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
constexpr float e2m1ToFloat(std::uint8_t code)
{
    constexpr float kMagnitudes[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    const float magnitude = kMagnitudes[code & 7u];
    const std::uint32_t sign = (code & 8u) != 0 ? 0x80000000u : 0u;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

/// fp32 to an E2M1 code, ties to even, always saturating (infinity becomes 6). The format has no
/// NaN: 7 without a sign is written, as PTO does (ml_dtypes writes zero).
constexpr std::uint8_t floatToE2m1(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return 7;
    const std::uint32_t sign = (bits >> 28) & 8u;
    if (magnitude == 0x7f800000u)
        return static_cast<std::uint8_t>(sign | 7u);
    return static_cast<std::uint8_t>(sign | std::min(smallFloatMagnitude(magnitude, 1, 1), 7u));
}

/// E8M0 without a value: the group held a NaN.
inline constexpr std::uint8_t kE8m0Nan = 0xff;

/// E8M0 code to fp32: 2^(code - 127), code 0 the subnormal 2^-127; 255 is NaN.
constexpr float e8m0ToFloat(std::uint8_t code)
{
    if (code == kE8m0Nan)
        return std::bit_cast<float>(0x7fc00000u);
    return std::bit_cast<float>(code == 0 ? 0x00400000u : static_cast<std::uint32_t>(code) << 23);
}

/// Reciprocal 2^(127 - code); its biased exponent field is 254 - code ("alpha" of pto.tquant).
constexpr float e8m0Reciprocal(std::uint8_t code)
{
    if (code == kE8m0Nan)
        return std::bit_cast<float>(0x7fc00000u);
    return e8m0ToFloat(static_cast<std::uint8_t>(254u - code));
}

/// fp32 to the E8M0 code of the smallest power of two that is not below |value|: 254 for infinity,
/// 255 for NaN, 0 for zero. Round-up rule of resources/formats/numbers.md.
constexpr std::uint8_t floatToE8m0Up(float value)
{
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return kE8m0Nan;
    if (magnitude == 0x7f800000u)
        return 254;
    const std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t fraction = magnitude & 0x7fffffu;
    const bool up = exponent == 0 ? fraction > 0x400000u : fraction != 0 && exponent <= 253;
    return static_cast<std::uint8_t>(exponent + (up ? 1u : 0u));
}

/// fp32 to the E8M0 code of the largest power of two that is not above |value|: the exponent field.
/// Infinity becomes 255, as a format without one has it; NaN is 255.
constexpr std::uint8_t floatToE8m0Down(float value)
{
    return static_cast<std::uint8_t>((std::bit_cast<std::uint32_t>(value) >> 23) & 0xffu);
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
    return static_cast<std::uint8_t>(sign | code);
}

/// E5M2 code to fp16 bits: the upper byte, NaN payloads and all.
constexpr std::uint16_t e5m2ToHalf(std::uint8_t code)
{
    return static_cast<std::uint16_t>(code << 8);
}

/// E4M3FN code to fp16 bits, exact.
constexpr std::uint16_t e4m3ToHalf(std::uint8_t code)
{
    return floatToHalf(e4m3ToFloat(code));
}

/// fp16 bits to an E4M3FN code: fp16 widens exactly, so the cast rounds once.
constexpr std::uint8_t halfToE4m3(std::uint16_t half, Fp8Overflow overflow = Fp8Overflow::Special)
{
    return floatToE4m3(halfToFloat(half), overflow);
}

} // namespace kernscope
