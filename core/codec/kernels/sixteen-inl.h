// SPDX-License-Identifier: GPL-3.0-or-later
// Sixteen elements at a time: a vector of 16 bytes, one or two of halves, one to four of fp32.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_CODEC_SIXTEEN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_CODEC_SIXTEEN_INL_H
#undef KERNSCOPE_CODEC_SIXTEEN_INL_H
#else
#define KERNSCOPE_CODEC_SIXTEEN_INL_H
#endif

#include "core/numeric/half-inl.h"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace ::kernscope::HWY_NAMESPACE;

using SixteenBytes = hn::FixedTag<std::uint8_t, 16>;
using SixteenHalves = hn::CappedTag<std::uint16_t, 16>;
#if HWY_MAX_BYTES >= 64
using SixteenFloats = hn::Rebind<float, SixteenHalves>;
#else
using SixteenFloats = hn::Rebind<float, hn::Half<SixteenHalves>>;
#endif
using ByteVec = hn::Vec<SixteenBytes>;
using HalfVec = hn::Vec<SixteenHalves>;
using FloatVec = hn::Vec<SixteenFloats>;
/// As many bytes as there are halves in a vector.
using SomeBytes = hn::Rebind<std::uint8_t, SixteenHalves>;

/// Sixteen nibbles, the first in the low half of the first of eight bytes.
HWY_INLINE ByteVec loadNibbles(const std::uint8_t *in)
{
    const SixteenBytes d;
    const hn::FixedTag<std::uint8_t, 8> half;
    const auto stored = hn::ZeroExtendVector(d, hn::LoadU(half, in));
    const auto low = hn::And(stored, hn::Set(d, 15));
    return hn::InterleaveLower(d, low, hn::ShiftRight<4>(stored));
}

/// Halves whose lower byte is zero, from their upper bytes.
HWY_INLINE HalfVec halvesOfUpper(hn::Vec<SomeBytes> upper)
{
    return hn::ShiftLeft<8>(hn::PromoteTo(SixteenHalves(), upper));
}

/// Stores what becomes of sixteen bytes: `toHalves` makes halves of some of them, `compute(floats,
/// at)` works on the fp32 values from element `at` on, `finish` on the halves that these round to.
/// `Streamed`: past the caches, to an aligned place.
template <bool Streamed, class ToHalves, class Compute, class Finish>
HWY_INLINE void storeSixteen(ByteVec bytes, ToHalves toHalves, Compute compute, Finish finish,
                             std::uint16_t *out)
{
    const SixteenHalves dh;
    const SixteenFloats df;
    const auto store = [&](HalfVec halves, std::size_t at) HWY_ATTR {
#if HWY_MAX_BYTES >= 64
        const auto both = narrowToHalf(df, compute(widenHalf(df, halves), at));
#else
        const hn::Rebind<std::uint16_t, SixteenFloats> dq;
        const auto low = compute(widenHalf(df, hn::LowerHalf(dq, halves)), at);
        const auto high = compute(widenHalf(df, hn::UpperHalf(dq, halves)), at + hn::Lanes(df));
        const auto both = hn::Combine(dh, narrowToHalf(df, high), narrowToHalf(df, low));
#endif
        if constexpr (Streamed)
            hn::Stream(finish(both), dh, out + at);
        else
            hn::StoreU(finish(both), dh, out + at);
    };
#if HWY_MAX_BYTES >= 32
    store(toHalves(bytes), 0);
#else
    store(toHalves(hn::LowerHalf(SomeBytes(), bytes)), 0);
    store(toHalves(hn::UpperHalf(SomeBytes(), bytes)), 8);
#endif
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
