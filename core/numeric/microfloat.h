// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cstdint>

/// The formats of microscaled blocks (resources/formats/numbers.md). fp32 from and to E4M3FN and
/// E5M2: half.h.
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

} // namespace kernscope
