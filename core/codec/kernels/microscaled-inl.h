// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of microscaled matrices, 16 at a time, to halves.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_CODEC_MICROSCALED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_CODEC_MICROSCALED_INL_H
#undef KERNSCOPE_CODEC_MICROSCALED_INL_H
#else
#define KERNSCOPE_CODEC_MICROSCALED_INL_H
#endif

#include "core/numeric/half.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "core/codec/kernels/nibbles-inl.h"

// What every target shares, once.
#ifndef KERNSCOPE_MX_SHARED
#define KERNSCOPE_MX_SHARED
namespace kernscope::codec {

inline constexpr std::uint16_t kMxNan = 0x7e00;       ///< every NaN of a decoded matrix
inline constexpr std::uint16_t kMxNanFactor = 0x7fc0; ///< upper half of a NaN of fp32

/// The definition that the vectors below reproduce.
inline std::uint16_t mxHalf(float element, std::uint8_t exponent)
{
    const float value = element * e8m0ToFloat(exponent);
    return std::isnan(value) ? kMxNan : floatToHalf(value);
}

/// By exponent: what each code without a sign, or each nibble, stands for.
struct MxTables {
    static constexpr std::size_t kMagnitudes = 128;
    static constexpr std::size_t kNibbles = 16;
    alignas(64) std::array<std::uint16_t, 256 * kMagnitudes> e4m3{};
    alignas(64) std::array<std::uint16_t, 256 * kNibbles> e2m1{};
};
const MxTables &mxTables(); ///< made on first use

/// Whole groups of 32.
struct MxGroups {
    const std::uint8_t *in = nullptr; ///< of the first group
    bool mxfp4 = false;
    const std::uint8_t *exponents = nullptr; ///< one a group
    /// One an element instead, upper halves of fp32, or null.
    const std::uint16_t *factors = nullptr;
    bool nanFactors = false;               ///< some factors are NaN
    const std::uint16_t *shifts = nullptr; ///< MXFP4: instead of factors, or null
    std::size_t count = 0;
};

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using IntTag = hn::RebindToSigned<SixteenFloats>;
#if HWY_TARGET <= HWY_AVX3
using HalfLine = hn::Vec<hn::FixedTag<std::uint16_t, 32>>; ///< a cache line of halves
#endif

/// E4M3FN bytes as they lie; of E2M1 nibbles the upper bytes of their values in fp16.
template <bool E4m3>
HWY_INLINE ByteVec loadElements(const std::uint8_t *in)
{
    const SixteenBytes d;
    if constexpr (E4m3) {
        return hn::LoadU(d, in);
    } else {
        alignas(16) static constexpr std::uint8_t kUpper[16] = {0,    0x38, 0x3c, 0x3e, 0x40, 0x42,
                                                                0x44, 0x46, 0x80, 0xb8, 0xbc, 0xbe,
                                                                0xc0, 0xc2, 0xc4, 0xc6};
        return hn::TableLookupBytes(hn::Load(d, kUpper), loadNibbles(in));
    }
}

/// Bytes to halves. Those of E4M3FN are 1/256 of their value, since the exponent's bias is 15
/// instead of 7; with `WithNan` code 0x7f becomes a NaN.
template <bool E4m3, bool WithNan>
HWY_INLINE HalfVec halvesOf(hn::Vec<SomeBytes> bytes)
{
    const SixteenHalves d;
    const auto upper = halvesOfUpper(bytes);
    if constexpr (!E4m3)
        return upper;
    const hn::RebindToSigned<SixteenHalves> di;
    // The sign stays at the top; the shift has doubled it into the exponent, which is cleared.
    const auto moved = hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(di, upper)));
    const auto half = hn::And(moved, hn::Set(d, 0xbfff));
    if constexpr (!WithNan)
        return half;
    const auto isNan = hn::Eq(hn::And(half, hn::Set(d, 0x7fff)), hn::Set(d, 0x3f80));
    return hn::IfThenElse(isNan, hn::Set(d, kMxNan), half);
}

/// Powers of two that bring halves of E4M3FN to their value. Exponents that leave the range of fp16
/// whatever the element are limited to what fp32 has: infinity comes out as it should.
HWY_INLINE FloatVec factorsOf(hn::Vec<IntTag> exponent)
{
    const IntTag di;
    const SixteenFloats df;
    const auto raised = hn::Min(hn::Add(exponent, hn::Set(di, 8)), hn::Set(di, 254));
    return hn::BitCast(df, hn::ShiftLeft<23>(raised));
}

/// Factors from the upper halves of fp32.
HWY_INLINE FloatVec loadFactors(const std::uint16_t *factors)
{
    const SixteenFloats df;
    const hn::Rebind<std::uint16_t, SixteenFloats> d16;
    const hn::RebindToUnsigned<SixteenFloats> d32;
    return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(d32, hn::LoadU(d16, factors))));
}

/// Sixteen elements times the factors that `factor(i)` gives for the ones from i on.
template <bool E4m3, bool WithNan, bool Streamed, class Factor>
HWY_INLINE void storeScaled(ByteVec bytes, Factor factor, std::uint16_t *out)
{
    const auto scale = [&](FloatVec value, std::size_t at)
                           HWY_ATTR { return hn::Mul(value, factor(at)); };
    const auto canonical = [](HalfVec halves) HWY_ATTR {
        const SixteenHalves d;
        if constexpr (!WithNan)
            return halves;
        const auto isNan = hn::Gt(hn::And(halves, hn::Set(d, 0x7fff)), hn::Set(d, 0x7c00));
        return hn::IfThenElse(isNan, hn::Set(d, kMxNan), halves);
    };
    const auto widen = [](hn::Vec<SomeBytes> some)
                           HWY_ATTR { return halvesOf<E4m3, WithNan>(some); };
    storeSixteen<Streamed>(bytes, widen, scale, canonical, out);
}

/// A group of 32 elements with one factor or a factor each.
template <bool E4m3, bool Streamed, class Factor>
HWY_INLINE void storeGroup(const std::uint8_t *in, Factor factor, std::uint16_t *out)
{
    const SixteenBytes d;
    const auto first = loadElements<E4m3>(in);
    const auto second = loadElements<E4m3>(in + (E4m3 ? 16 : 8));
    const auto later = [&](std::size_t at) HWY_ATTR { return factor(at + 16); };
    if constexpr (E4m3) {
        const auto all = hn::Set(d, 0x7f);
        const auto nan =
            hn::Or(hn::Eq(hn::And(first, all), all), hn::Eq(hn::And(second, all), all));
        if (HWY_UNLIKELY(!hn::AllFalse(d, nan))) {
            storeScaled<E4m3, true, Streamed>(first, factor, out);
            storeScaled<E4m3, true, Streamed>(second, later, out + 16);
            return;
        }
    }
    storeScaled<E4m3, false, Streamed>(first, factor, out);
    storeScaled<E4m3, false, Streamed>(second, later, out + 16);
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
