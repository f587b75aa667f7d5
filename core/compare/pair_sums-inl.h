// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over pairs of finite fp16 values. Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_DIFF_PAIR_SUMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_DIFF_PAIR_SUMS_INL_H
#undef KERNSCOPE_DIFF_PAIR_SUMS_INL_H
#else
#define KERNSCOPE_DIFF_PAIR_SUMS_INL_H
#endif

#include "core/compare/pair_kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::diff::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

using D16 = hn::ScalableTag<std::uint16_t>;
using V16 = hn::Vec<D16>;
using D64 = hn::ScalableTag<double>;
using V64 = hn::Vec<D64>;
using D32 = hn::Rebind<float, D64>;
using DHalf = hn::Rebind<std::uint16_t, D64>;
using DWide = hn::Repartition<float, D16>; ///< half as many lanes as D16
using DWideHalf = hn::Rebind<std::uint16_t, DWide>;
using VWide = hn::Vec<DWide>;

/// The largest |a - b| / |a| of a vector of halves that are finite, zeros of A left out.
HWY_NOINLINE double largestQuotient(const std::uint16_t *a, const std::uint16_t *b)
{
    const D64 d;
    const D32 df;
    const DHalf dh;
    auto most = hn::Zero(d);
    for (std::size_t i = 0; i < hn::Lanes(D16()); i += hn::Lanes(d)) {
        const auto va =
            hn::PromoteTo(d, kernscope::HWY_NAMESPACE::widenHalf(df, hn::LoadU(dh, a + i)));
        const auto vb =
            hn::PromoteTo(d, kernscope::HWY_NAMESPACE::widenHalf(df, hn::LoadU(dh, b + i)));
        const auto quotient = hn::Div(hn::Abs(hn::Sub(va, vb)), hn::Abs(va));
        most = hn::Max(most, hn::IfThenElseZero(hn::Ne(va, hn::Zero(d)), quotient));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

/// The largest quotient |a - b| / |a| so far. Dividing all would cost more than the sums: fp32
/// tells which vectors may have a larger one, and only those are divided.
class LargestQuotient
{
public:
    HWY_INLINE LargestQuotient(double known, bool zeroed) : m_largest(known)
    {
        // An element that becomes zero is off by itself; what follows leaves those out.
        if (zeroed)
            m_largest = std::max(m_largest, 1.0);
        setBound();
    }
    HWY_INLINE double value() const { return m_largest; }
    /// Whether |a - b| / |a| may be larger where neither is zero: `apart` is a - b rounded to fp32.
    HWY_INLINE hn::Mask<DWide> mayBeLarger(VWide a, VWide b, VWide apart) const
    {
        const DWide d;
        // Both sides times |b|: 0 > 0 holds for no zero of A or B. Products of a and b are exact.
        const auto left = hn::Abs(hn::Mul(apart, b)), right = hn::Abs(hn::Mul(a, b));
        return hn::Gt(left, hn::Mul(right, hn::Set(d, m_bound)));
    }
    HWY_INLINE void look(const std::uint16_t *a, const std::uint16_t *b)
    {
        m_largest = std::max(m_largest, largestQuotient(a, b));
        setBound();
    }

private:
    /// Below the largest by more than the roundings of mayBeLarger, each of 2^-24, can come to; of
    /// fp16 numbers no quotient but 0 is below 2^-40.
    HWY_INLINE void setBound()
    {
        m_bound = static_cast<float>(std::max(m_largest * (1 - 0x1p-20), 0x1p-41));
    }

    double m_largest;
    float m_bound = 0;
};

/// Sums of some lanes, in double precision.
struct LaneSums {
    V64 abs, square, aa, bb, ab, largest;

    HWY_INLINE LaneSums() { abs = square = aa = bb = ab = largest = hn::Zero(D64()); }
    HWY_INLINE void add(V64 a, V64 b)
    {
        const auto apart = hn::Abs(hn::Sub(a, b));
        abs = hn::Add(abs, apart);
        square = hn::MulAdd(apart, apart, square);
        aa = hn::MulAdd(a, a, aa);
        bb = hn::MulAdd(b, b, bb);
        ab = hn::MulAdd(a, b, ab);
        largest = hn::Max(largest, apart);
    }
    HWY_INLINE void addTo(HalfFigures &figures) const
    {
        const D64 d;
        figures.abs += hn::GetLane(hn::SumOfLanes(d, abs));
        figures.square += hn::GetLane(hn::SumOfLanes(d, square));
        figures.aa += hn::GetLane(hn::SumOfLanes(d, aa));
        figures.bb += hn::GetLane(hn::SumOfLanes(d, bb));
        figures.ab += hn::GetLane(hn::SumOfLanes(d, ab));
        figures.largest = std::max(figures.largest, hn::GetLane(hn::MaxOfLanes(d, largest)));
    }
};

/// Sums over runs of finite numbers of whole vectors.
HWY_INLINE void sumFinite(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                          bool zeroed, HalfFigures &figures)
{
    const D64 d;
    const D32 df;
    const DWide wide;
    const DWideHalf dh;
    const std::size_t lanes = hn::Lanes(wide);
    // Two of each, so that one need not wait for the other.
    LaneSums lower, upper;
    LargestQuotient quotient(figures.largestRelative, zeroed);
    const auto addWide = [&](std::size_t at) HWY_ATTR {
        const auto fa = kernscope::HWY_NAMESPACE::widenHalf(wide, hn::LoadU(dh, a + at));
        const auto fb = kernscope::HWY_NAMESPACE::widenHalf(wide, hn::LoadU(dh, b + at));
        lower.add(hn::PromoteTo(d, hn::LowerHalf(df, fa)), hn::PromoteTo(d, hn::LowerHalf(df, fb)));
        upper.add(hn::PromoteTo(d, hn::UpperHalf(df, fa)), hn::PromoteTo(d, hn::UpperHalf(df, fb)));
        return quotient.mayBeLarger(fa, fb, hn::Sub(fa, fb));
    };
    for (std::size_t i = 0; i < count; i += 2 * lanes) {
        // What lies in files comes next; of what is decoded into a buffer this costs nothing.
        hwy::Prefetch(a + i + count);
        hwy::Prefetch(b + i + count);
        const auto first = addWide(i), second = addWide(i + lanes);
        if (!hn::AllFalse(wide, hn::Or(first, second)))
            quotient.look(a + i, b + i);
    }
    lower.addTo(figures);
    upper.addTo(figures);
    figures.largestRelative = quotient.value();
}

#endif

} // namespace kernscope::diff::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
