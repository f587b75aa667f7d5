// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/pair_kernels.h"

#include "core/diff/value_difference.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/diff/pair_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
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

/// What the bits of a vector of each side say: which are equal, zeroed, … (a count a lane), and the
/// distances in ULP, 0xffff for NaN against a number.
HWY_INLINE V16 countBits(D16 d, V16 va, V16 vb, V16 &equal, V16 &zeroed, V16 &revived,
                         V16 &notFinite, V16 &infinite, V16 &largest)
{
    const auto ma = hn::And(va, hn::Set(d, 0x7fff)), mb = hn::And(vb, hn::Set(d, 0x7fff));
    const auto infinity = hn::Set(d, kHalfInfinity), zero = hn::Zero(d);
    const auto zeroA = hn::Eq(ma, zero), zeroB = hn::Eq(mb, zero);
    const auto nanA = hn::Gt(ma, infinity), nanB = hn::Gt(mb, infinity);
    const auto bothNan = hn::And(nanA, nanB);
    const auto same = hn::Or(hn::Or(hn::Eq(va, vb), hn::And(zeroA, zeroB)), bothNan);
    const auto wild = hn::Gt(hn::Max(ma, mb), hn::Set(d, kHalfInfinity - 1));
    // A comparison that holds is -1.
    equal = hn::Sub(equal, hn::VecFromMask(d, same));
    zeroed = hn::Sub(zeroed, hn::VecFromMask(d, hn::AndNot(zeroA, zeroB)));
    revived = hn::Sub(revived, hn::VecFromMask(d, hn::AndNot(zeroB, zeroA)));
    notFinite = hn::Sub(notFinite, hn::VecFromMask(d, hn::AndNot(same, wild)));
    infinite = hn::Sub(infinite, hn::VecFromMask(d, wild));
    const auto oneSign = hn::Eq(hn::And(hn::Xor(va, vb), hn::Set(d, 0x8000)), zero);
    const auto apart =
        hn::IfThenElse(oneSign, hn::Sub(hn::Max(ma, mb), hn::Min(ma, mb)), hn::Add(ma, mb));
    const auto distance = hn::IfThenZeroElse(bothNan, apart);
    const auto oneNan = hn::Xor(nanA, nanB);
    largest = hn::Max(largest, hn::IfThenZeroElse(oneNan, distance));
    return hn::IfThenElse(oneNan, hn::Set(d, 0xffff), distance);
}

HWY_INLINE std::uint64_t sumOf(V16 counts)
{
    const D16 d;
    HWY_ALIGN std::uint16_t lanes[hn::MaxLanes(d)];
    hn::Store(counts, d, lanes);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
        sum += lanes[i];
    return sum;
}

/// Adds to each bin how many distances have that many significant bits.
void countWidths(const std::uint16_t *distances, std::size_t count, std::uint64_t *bins)
{
    const D16 d;
    const std::size_t lanes = hn::Lanes(d);
    std::uint64_t before = count; // distances above the bound before
    for (int k = 1; k <= 16; k += 4) {
        const auto t0 = hn::Set(d, static_cast<std::uint16_t>((1u << (k - 1)) - 1u));
        const auto t1 = hn::Set(d, static_cast<std::uint16_t>((1u << k) - 1u));
        const auto t2 = hn::Set(d, static_cast<std::uint16_t>((1u << (k + 1)) - 1u));
        const auto t3 = hn::Set(d, static_cast<std::uint16_t>((1u << (k + 2)) - 1u));
        auto n0 = hn::Zero(d), n1 = n0, n2 = n0, n3 = n0;
        for (std::size_t i = 0; i < count; i += lanes) {
            const auto v = hn::LoadU(d, distances + i);
            n0 = hn::Sub(n0, hn::VecFromMask(d, hn::Gt(v, t0)));
            n1 = hn::Sub(n1, hn::VecFromMask(d, hn::Gt(v, t1)));
            n2 = hn::Sub(n2, hn::VecFromMask(d, hn::Gt(v, t2)));
            n3 = hn::Sub(n3, hn::VecFromMask(d, hn::Gt(v, t3)));
        }
        for (const auto counted : {sumOf(n0), sumOf(n1), sumOf(n2), sumOf(n3)}) {
            bins[0] += before - counted;
            ++bins;
            before = counted;
        }
        if (before == 0)
            return;
    }
    bins[0] += before;
}

/// The largest quotient of each lane as it was found: dividing all of them would cost more than the
/// rest of the sums. Numerators have 40 bits and denominators 11, so that products of them are
/// exact and the order of two quotients is never in doubt.
struct LargestQuotient {
    V64 above, below;

    HWY_INLINE void add(D64 d, V64 apart, V64 magnitude)
    {
        const auto larger = hn::And(hn::Gt(hn::Mul(apart, below), hn::Mul(above, magnitude)),
                                    hn::Gt(magnitude, hn::Zero(d)));
        above = hn::IfThenElse(larger, apart, above);
        below = hn::IfThenElse(larger, magnitude, below);
    }
    HWY_INLINE double value(D64 d) const
    {
        return hn::GetLane(hn::MaxOfLanes(d, hn::Div(above, below)));
    }
};

/// Adds the sums, in double precision, over the elements of a vector that are finite in both.
HWY_INLINE void addSums(D64 d, const std::uint16_t *a, const std::uint16_t *b, V64 &abs,
                        V64 &square, V64 &aa, V64 &bb, V64 &ab, V64 &largest,
                        LargestQuotient &relative)
{
    const D32 df;
    const DHalf dh;
    const auto ha = hn::LoadU(dh, a), hb = hn::LoadU(dh, b);
    const auto limit = hn::Set(dh, kHalfInfinity), bits = hn::Set(dh, 0x7fff);
    const auto finite = hn::And(hn::Lt(hn::And(ha, bits), limit), hn::Lt(hn::And(hb, bits), limit));
    const auto fa = kernscope::HWY_NAMESPACE::widenHalf(df, hn::IfThenElseZero(finite, ha));
    const auto fb = kernscope::HWY_NAMESPACE::widenHalf(df, hn::IfThenElseZero(finite, hb));
    const auto va = hn::PromoteTo(d, fa), vb = hn::PromoteTo(d, fb);
    const auto apart = hn::Abs(hn::Sub(va, vb));
    abs = hn::Add(abs, apart);
    square = hn::MulAdd(apart, apart, square);
    aa = hn::MulAdd(va, va, aa);
    bb = hn::MulAdd(vb, vb, bb);
    ab = hn::MulAdd(va, vb, ab);
    largest = hn::Max(largest, apart);
    relative.add(d, apart, hn::Abs(va));
}

#endif

/// Adds what whole vectors hold; returns how many elements that are.
std::size_t addRun(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                   HalfFigures &figures)
{
#if HWY_TARGET != HWY_SCALAR
    const D16 d16;
    const D64 d64;
    const std::size_t step = hn::Lanes(d16), narrow = hn::Lanes(d64);
    const std::size_t whole = count - count % step;
    if (whole == 0)
        return 0;
    HWY_ALIGN std::uint16_t distances[kKernelElements];
    auto equal = hn::Zero(d16), zeroed = equal, revived = equal, notFinite = equal,
         infinite = equal, most = equal;
    for (std::size_t i = 0; i < whole; i += step)
        hn::Store(countBits(d16, hn::LoadU(d16, a + i), hn::LoadU(d16, b + i), equal, zeroed,
                            revived, notFinite, infinite, most),
                  d16, distances + i);
    auto abs = hn::Zero(d64), square = abs, aa = abs, bb = abs, ab = abs, largest = abs;
    const auto one = hn::Set(d64, 1.0);
    LargestQuotient even{abs, one}, odd{abs, one}; // two, so that one need not wait for the other
    for (std::size_t i = 0; i < whole; i += 2 * narrow) {
        addSums(d64, a + i, b + i, abs, square, aa, bb, ab, largest, even);
        const std::size_t next = i + narrow;
        addSums(d64, a + next, b + next, abs, square, aa, bb, ab, largest, odd);
    }
    figures.equal += sumOf(equal);
    figures.zeroed += sumOf(zeroed);
    figures.revived += sumOf(revived);
    figures.notFinite += sumOf(notFinite);
    figures.finite += whole - sumOf(infinite);
    figures.maxUlp =
        std::max<std::uint32_t>(figures.maxUlp, hn::GetLane(hn::MaxOfLanes(d16, most)));
    countWidths(distances, whole, figures.ulp.data());
    figures.abs += hn::GetLane(hn::SumOfLanes(d64, abs));
    figures.square += hn::GetLane(hn::SumOfLanes(d64, square));
    figures.aa += hn::GetLane(hn::SumOfLanes(d64, aa));
    figures.bb += hn::GetLane(hn::SumOfLanes(d64, bb));
    figures.ab += hn::GetLane(hn::SumOfLanes(d64, ab));
    figures.largest = std::max(figures.largest, hn::GetLane(hn::MaxOfLanes(d64, largest)));
    figures.largestRelative = std::max({figures.largestRelative, even.value(d64), odd.value(d64)});
    return whole;
#else
    static_cast<void>(a);
    static_cast<void>(b);
    static_cast<void>(count);
    static_cast<void>(figures);
    return 0;
#endif
}

/// Sum of the squares of the finite values of whole vectors; returns how many elements that are.
std::size_t addSquares(const std::uint16_t *values, std::size_t count, double &squares,
                       std::uint64_t &finite)
{
#if HWY_TARGET != HWY_SCALAR
    const D16 d16;
    const D64 d64;
    const D32 df;
    const DHalf dh;
    const std::size_t step = hn::Lanes(d16), narrow = hn::Lanes(d64);
    const std::size_t whole = count - count % step;
    auto s0 = hn::Zero(d64), s1 = s0;
    auto wild = hn::Zero(d16);
    const auto valuesAt = [&](std::size_t at) HWY_ATTR {
        const auto half = hn::LoadU(dh, values + at);
        const auto isFinite =
            hn::Lt(hn::And(half, hn::Set(dh, 0x7fff)), hn::Set(dh, kHalfInfinity));
        return hn::PromoteTo(
            d64, kernscope::HWY_NAMESPACE::widenHalf(df, hn::IfThenElseZero(isFinite, half)));
    };
    for (std::size_t i = 0; i < whole; i += step) {
        const auto magnitude = hn::And(hn::LoadU(d16, values + i), hn::Set(d16, 0x7fff));
        wild =
            hn::Sub(wild, hn::VecFromMask(d16, hn::Gt(magnitude, hn::Set(d16, kHalfInfinity - 1))));
        for (std::size_t k = 0; k < step; k += 2 * narrow) {
            const auto v0 = valuesAt(i + k), v1 = valuesAt(i + k + narrow);
            s0 = hn::MulAdd(v0, v0, s0);
            s1 = hn::MulAdd(v1, v1, s1);
        }
    }
    squares += hn::GetLane(hn::SumOfLanes(d64, hn::Add(s0, s1)));
    finite += whole - sumOf(wild);
    return whole;
#else
    static_cast<void>(values);
    static_cast<void>(count);
    static_cast<void>(squares);
    static_cast<void>(finite);
    return 0;
#endif
}

} // namespace kernscope::diff::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::diff {

HWY_EXPORT(addRun);
HWY_EXPORT(addSquares);

void addHalfFiguresPlainly(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                           HalfFigures &figures)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::uint32_t ma = a[i] & 0x7fffu, mb = b[i] & 0x7fffu;
        const bool nanA = ma > kHalfInfinity, nanB = mb > kHalfInfinity;
        const bool same = a[i] == b[i] || (ma == 0 && mb == 0) || (nanA && nanB);
        const bool finite = ma < kHalfInfinity && mb < kHalfInfinity;
        figures.equal += same;
        figures.zeroed += mb == 0 && ma != 0;
        figures.revived += ma == 0 && mb != 0;
        figures.notFinite += !finite && !same;
        figures.finite += finite;
        const std::uint32_t distance = nanA || nanB ? 0 : ulpDistance(a[i], b[i]);
        figures.maxUlp = std::max(figures.maxUlp, distance);
        ++figures.ulp[nanA != nanB ? 16u : static_cast<unsigned>(std::bit_width(distance))];
        if (!finite)
            continue;
        const auto x = static_cast<double>(halfToFloat(a[i]));
        const auto y = static_cast<double>(halfToFloat(b[i]));
        const double apart = std::abs(x - y);
        figures.abs += apart;
        figures.square += apart * apart;
        figures.aa += x * x;
        figures.bb += y * y;
        figures.ab += x * y;
        figures.largest = std::max(figures.largest, apart);
        if (ma != 0)
            figures.largestRelative = std::max(figures.largestRelative, apart / std::abs(x));
    }
}

void addHalfFigures(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                    HalfFigures &figures)
{
    const std::size_t done = HWY_DYNAMIC_DISPATCH(addRun)(a.data(), b.data(), a.size(), figures);
    addHalfFiguresPlainly(a.subspan(done), b.subspan(done), figures);
}

void addEqualHalves(std::span<const std::uint16_t> values, HalfFigures &figures)
{
    double squares = 0;
    std::uint64_t finite = 0;
    const std::size_t done =
        HWY_DYNAMIC_DISPATCH(addSquares)(values.data(), values.size(), squares, finite);
    for (const std::uint16_t half : values.subspan(done)) {
        if ((half & 0x7fffu) >= kHalfInfinity)
            continue;
        const double value = static_cast<double>(halfToFloat(half));
        squares += value * value;
        ++finite;
    }
    figures.aa += squares;
    figures.bb += squares;
    figures.ab += squares;
    figures.finite += finite;
    figures.equal += values.size();
    figures.ulp[0] += values.size();
}

} // namespace kernscope::diff
#endif
