// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

/// Single numbers between fp32 and the narrow floating-point formats
/// (resources/formats/numbers.md). All narrowing rounds to nearest, ties to even. Conversions of
/// NaN make it quiet and keep as much of its payload as fits, as the processors' own conversions
/// do. Bulk versions: convert.h.
namespace kernscope {

inline constexpr std::uint16_t kHalfInfinity = 0x7c00;
inline constexpr std::uint16_t kLargestHalf = kHalfInfinity - 1; ///< 65504

/// fp16 bits to fp32, exact.
constexpr float halfToFloat(std::uint16_t half)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
    const std::uint32_t magnitude = half & 0x7fffu;
    if (magnitude >= kHalfInfinity) {
        const std::uint32_t quiet = magnitude > kHalfInfinity ? 0x400000u : 0u;
        return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13) | quiet);
    }
    if (magnitude < 0x400u) {
        const float value = static_cast<float>(magnitude) * 0x1p-24f;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

/// fp32 to fp16 bits; magnitudes from 65520 on become infinity.
constexpr std::uint16_t floatToHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    if (magnitude >= 0x477ff000u)
        return static_cast<std::uint16_t>(sign | kHalfInfinity);
    if (magnitude < 0x38800000u) {
        // The last place of 0.5 is 2^-24, that of the subnormals of fp16: the sum rounds to it.
        const float sum = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000u));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

/// bf16 bits to fp32, exact.
constexpr float bfloat16ToFloat(std::uint16_t bits)
{
    const std::uint32_t quiet = (bits & 0x7fffu) > 0x7f80u ? 0x400000u : 0u;
    return std::bit_cast<float>((static_cast<std::uint32_t>(bits) << 16) | quiet);
}

/// fp32 to bf16 bits.
constexpr std::uint16_t floatToBfloat16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// What becomes of a magnitude above the largest finite one of an 8-bit format.
enum class Fp8Overflow : std::uint8_t {
    Special, ///< NaN (E4M3FN) or infinity (E5M2)
    Saturate ///< the largest finite value, infinity included
};

/// E4M3FN code to fp32, exact: bias 7, no infinity, NaN only 0x7f and 0xff.
constexpr float e4m3ToFloat(std::uint8_t code)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80u) << 24;
    const std::uint32_t magnitude = code & 0x7fu;
    if (magnitude == 0x7fu)
        return std::bit_cast<float>(sign | 0x7fc00000u);
    if (magnitude < 8u) {
        const float value = static_cast<float>(magnitude) * 0x1p-9f;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
    }
    return std::bit_cast<float>(sign | ((magnitude << 20) + (120u << 23)));
}

/// E5M2 code to fp32: the upper byte of an fp16 number.
constexpr float e5m2ToFloat(std::uint8_t code)
{
    return halfToFloat(static_cast<std::uint16_t>(code << 8));
}

/// Magnitude code of |value| in a format of `fraction` bits and that bias, its exponents taken as
/// unbounded (resources/formats/numbers.md). `magnitude` holds the bits of a finite |value|.
constexpr std::uint32_t smallFloatMagnitude(std::uint32_t magnitude, unsigned fraction,
                                            std::uint32_t bias)
{
    const std::uint32_t smallestNormal = (128u - bias) << 23;
    if (magnitude < smallestNormal) {
        // A power of two whose last place is that of the format's subnormals (see floatToHalf).
        const std::uint32_t anchor = (128u - bias + 23u - fraction) << 23;
        const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(anchor);
        return std::bit_cast<std::uint32_t>(sum) - anchor;
    }
    const unsigned shift = 23u - fraction;
    const std::uint32_t rounded =
        magnitude + ((1u << (shift - 1u)) - 1u) + ((magnitude >> shift) & 1u);
    return (rounded >> shift) - ((127u - bias) << fraction);
}

/// fp32 to an E4M3FN code; the sign is kept in every case.
constexpr std::uint8_t floatToE4m3(float value, Fp8Overflow overflow = Fp8Overflow::Special)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 24) & 0x80u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t above = overflow == Fp8Overflow::Saturate ? 0x7eu : 0x7fu;
    if (magnitude > 0x7f800000u)
        return static_cast<std::uint8_t>(sign | 0x7fu);
    if (magnitude == 0x7f800000u)
        return static_cast<std::uint8_t>(sign | above);
    const std::uint32_t code = smallFloatMagnitude(magnitude, 3, 7);
    return static_cast<std::uint8_t>(sign | (code > 0x7eu ? above : code));
}

/// fp32 to an E5M2 code; the sign is kept in every case.
constexpr std::uint8_t floatToE5m2(float value, Fp8Overflow overflow = Fp8Overflow::Special)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 24) & 0x80u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t above = overflow == Fp8Overflow::Saturate ? 0x7bu : 0x7cu;
    if (magnitude > 0x7f800000u)
        return static_cast<std::uint8_t>(sign | 0x7eu);
    if (magnitude == 0x7f800000u)
        return static_cast<std::uint8_t>(sign | above);
    const std::uint32_t code = smallFloatMagnitude(magnitude, 2, 15);
    return static_cast<std::uint8_t>(sign | (code > 0x7bu ? above : code));
}

/// fp64 to fp32 with the last bit set where the number is not exact ("round to odd"): narrowing the
/// result to 22 or fewer bits then rounds once, as if it came from `value` itself.
inline float doubleToFloatOdd(double value)
{
    const auto nearest = static_cast<float>(value);
    if (std::isnan(value) || static_cast<double>(nearest) == value)
        return nearest;
    auto bits = std::bit_cast<std::uint32_t>(nearest);
    const bool tooLarge = std::abs(static_cast<double>(nearest)) > std::abs(value);
    if (tooLarge)
        --bits; // towards zero; from infinity to the largest finite number
    return std::bit_cast<float>(bits | 1u);
}

/// fp64 to fp16 bits, rounded once.
inline std::uint16_t doubleToHalf(double value)
{
    return floatToHalf(doubleToFloatOdd(value));
}

// The formats of microscaled blocks (resources/formats/numbers.md). fp32 from and to E4M3FN and
// E5M2: half.h.

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
