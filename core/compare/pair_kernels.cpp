// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_kernels.h"

#include "core/compare/value_difference.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/compare/pair_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include "core/numeric/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::diff::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
    /// Below the largest by more than the sum of the roundings of mayBeLarger, each of 2^-24; of
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

using WidthTag = hn::ScalableTag<std::uint16_t>;
using WidthVector = hn::Vec<WidthTag>;

/// Sum of the lanes.
HWY_INLINE std::uint64_t sumOf(WidthVector counts)
{
    const WidthTag d;
    HWY_ALIGN std::uint16_t lanes[hn::MaxLanes(d)];
    hn::Store(counts, d, lanes);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
        sum += lanes[i];
    return sum;
}

/// Adds three numbers of one bit in each bit of a vector: `low` becomes the sum, the carry is
/// returned.
HWY_INLINE WidthVector addBits(WidthVector &low, WidthVector a, WidthVector b)
{
    const auto either = hn::Xor(a, b);
    const auto carry = hn::Or(hn::And(a, b), hn::And(either, low));
    low = hn::Xor(either, low);
    return carry;
}

/// The number with all bits below its highest one set.
HWY_INLINE WidthVector filledBelow(WidthVector v)
{
    v = hn::Or(v, hn::ShiftRight<1>(v));
    v = hn::Or(v, hn::ShiftRight<2>(v));
    v = hn::Or(v, hn::ShiftRight<4>(v));
    return hn::Or(v, hn::ShiftRight<8>(v));
}

/// How many vectors countWidths takes at a time.
inline constexpr std::size_t kWidthBlock = 16;

/// How many of the numbers have bit k of their vectors set, in four places of binary counters and
/// in bytes that count sixteen each.
struct BitCounts {
    WidthVector ones, twos, fours, eights;
    WidthVector sixteens[8]; ///< low bytes: bit k, high bytes: bit k + 8

    HWY_INLINE BitCounts()
    {
        ones = twos = fours = eights = hn::Zero(WidthTag());
        for (WidthVector &counts : sixteens)
            counts = ones;
    }
    HWY_INLINE void addBlock(const std::uint16_t *numbers)
    {
        const WidthTag d;
        const std::size_t lanes = hn::Lanes(d);
        const auto at = [=](std::size_t i)
                            HWY_ATTR { return filledBelow(hn::Load(d, numbers + i * lanes)); };
        const auto pairs = [&](std::size_t i) HWY_ATTR { return addBits(ones, at(i), at(i + 1)); };
        const auto fourOf = [&](std::size_t i) HWY_ATTR {
            const auto first = pairs(i), second = pairs(i + 2);
            return addBits(twos, first, second);
        };
        const auto eightOf = [&](std::size_t i) HWY_ATTR {
            const auto first = fourOf(i), second = fourOf(i + 4);
            return addBits(fours, first, second);
        };
        const auto first = eightOf(0), second = eightOf(8);
        const auto carry = addBits(eights, first, second);
        const auto bit = hn::Set(d, 0x0101);
        sixteens[0] = hn::Add(sixteens[0], hn::And(carry, bit));
        sixteens[1] = hn::Add(sixteens[1], hn::And(hn::ShiftRight<1>(carry), bit));
        sixteens[2] = hn::Add(sixteens[2], hn::And(hn::ShiftRight<2>(carry), bit));
        sixteens[3] = hn::Add(sixteens[3], hn::And(hn::ShiftRight<3>(carry), bit));
        sixteens[4] = hn::Add(sixteens[4], hn::And(hn::ShiftRight<4>(carry), bit));
        sixteens[5] = hn::Add(sixteens[5], hn::And(hn::ShiftRight<5>(carry), bit));
        sixteens[6] = hn::Add(sixteens[6], hn::And(hn::ShiftRight<6>(carry), bit));
        sixteens[7] = hn::Add(sixteens[7], hn::And(hn::ShiftRight<7>(carry), bit));
    }
    /// How many have bit k set.
    HWY_INLINE void take(std::uint64_t (&counts)[16]) const
    {
        const WidthTag d;
        const auto one = hn::Set(d, 1), low = hn::Set(d, 0xff);
        auto a = ones, b = twos, c = fours, e = eights;
        for (std::size_t k = 0; k < 16; ++k) {
            const auto bytes =
                k < 8 ? hn::And(sixteens[k], low) : hn::ShiftRight<8>(sixteens[k - 8]);
            auto sum = hn::Add(hn::And(a, one), hn::ShiftLeft<1>(hn::And(b, one)));
            sum = hn::Add(sum, hn::ShiftLeft<2>(hn::And(c, one)));
            sum = hn::Add(sum, hn::ShiftLeft<3>(hn::And(e, one)));
            counts[k] = sumOf(hn::Add(sum, hn::ShiftLeft<4>(bytes)));
            a = hn::ShiftRight<1>(a);
            b = hn::ShiftRight<1>(b);
            c = hn::ShiftRight<1>(c);
            e = hn::ShiftRight<1>(e);
        }
    }
};

/// Adds to each of 17 bins how many of the numbers have that many significant bits. At most 8192
/// numbers; `numbers` is aligned and has zeros up to a multiple of kWidthBlock vectors.
HWY_INLINE void countWidths(const std::uint16_t *numbers, std::size_t count, std::uint64_t *bins)
{
    const std::size_t block = kWidthBlock * hn::Lanes(WidthTag());
    BitCounts bits;
    for (std::size_t i = 0; i < count; i += block)
        bits.addBlock(numbers + i);
    std::uint64_t wider[16]; // than k bits
    bits.take(wider);
    std::uint64_t before = count;
    for (std::size_t k = 0; k < 16; ++k) {
        bins[k] += before - wider[k];
        before = wider[k];
    }
    bins[16] += before;
}

/// Counts a lane, of what the bits of two runs say.
struct LaneCounts {
    V16 zeroed, revived, notFinite, infinite, maxUlp;

    HWY_INLINE LaneCounts() { zeroed = revived = notFinite = infinite = maxUlp = hn::Zero(D16()); }
    // A comparison that holds is -1.
    HWY_INLINE void addZeros(hn::Mask<D16> zeroA, hn::Mask<D16> zeroB)
    {
        const D16 d;
        zeroed = hn::Sub(zeroed, hn::VecFromMask(d, hn::AndNot(zeroA, zeroB)));
        revived = hn::Sub(revived, hn::VecFromMask(d, hn::AndNot(zeroB, zeroA)));
    }
};

/// ULP between numbers of these magnitudes. `signs`: the sign bits of both together, exclusively.
HWY_INLINE V16 ulpApart(V16 ma, V16 mb, V16 signs)
{
    const auto apart = hn::Sub(hn::Max(ma, mb), hn::Min(ma, mb));
    return hn::IfThenElse(hn::Eq(signs, hn::Zero(D16())), apart, hn::Add(ma, mb));
}

/// Counts where both runs are finite, and gives the distances in ULP; false, with counts that say
/// nothing, where an element is not.
HWY_INLINE bool countFinite(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                            std::uint16_t *distances, LaneCounts &counts)
{
    const D16 d;
    const auto bits = hn::Set(d, 0x7fff), sign = hn::Set(d, 0x8000), zero = hn::Zero(d);
    auto most = zero;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto va = hn::LoadU(d, a + i), vb = hn::LoadU(d, b + i);
        const auto ma = hn::And(va, bits), mb = hn::And(vb, bits);
        counts.addZeros(hn::Eq(ma, zero), hn::Eq(mb, zero));
        const auto distance = ulpApart(ma, mb, hn::And(hn::Xor(va, vb), sign));
        most = hn::Max(most, hn::Max(ma, mb));
        counts.maxUlp = hn::Max(counts.maxUlp, distance);
        hn::Store(distance, d, distances + i);
    }
    return hn::AllTrue(d, hn::Lt(most, hn::Set(d, kHalfInfinity)));
}

/// Counts of any runs, and their distances in ULP, 0xffff for NaN against a number. `cleanA` and
/// `cleanB` become the runs with zeros where one of the two is not finite. Returns whether zeros of
/// B are finite numbers of A.
HWY_INLINE bool countAny(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                         std::uint16_t *distances, std::uint16_t *cleanA, std::uint16_t *cleanB,
                         LaneCounts &counts)
{
    const D16 d;
    const auto bits = hn::Set(d, 0x7fff), sign = hn::Set(d, 0x8000), zero = hn::Zero(d);
    const auto infinity = hn::Set(d, kHalfInfinity);
    auto zeroed = zero;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const auto va = hn::LoadU(d, a + i), vb = hn::LoadU(d, b + i);
        const auto ma = hn::And(va, bits), mb = hn::And(vb, bits);
        counts.addZeros(hn::Eq(ma, zero), hn::Eq(mb, zero));
        const auto nanA = hn::Gt(ma, infinity), nanB = hn::Gt(mb, infinity);
        const auto bothNan = hn::And(nanA, nanB), oneNan = hn::Xor(nanA, nanB);
        const auto distance =
            hn::IfThenZeroElse(bothNan, ulpApart(ma, mb, hn::And(hn::Xor(va, vb), sign)));
        const auto wild = hn::Gt(hn::Max(ma, mb), hn::Set(d, kHalfInfinity - 1));
        const auto same = hn::AndNot(oneNan, hn::Eq(distance, zero));
        counts.notFinite = hn::Sub(counts.notFinite, hn::VecFromMask(d, hn::AndNot(same, wild)));
        counts.infinite = hn::Sub(counts.infinite, hn::VecFromMask(d, wild));
        counts.maxUlp = hn::Max(counts.maxUlp, hn::IfThenZeroElse(oneNan, distance));
        hn::Store(hn::IfThenElse(oneNan, hn::Set(d, 0xffff), distance), d, distances + i);
        hn::Store(hn::IfThenZeroElse(wild, va), d, cleanA + i);
        hn::Store(hn::IfThenZeroElse(wild, vb), d, cleanB + i);
        const auto inA = hn::AndNot(wild, hn::Eq(mb, zero));
        zeroed = hn::Or(zeroed, hn::IfThenElseZero(inA, ma));
    }
    return !hn::AllTrue(d, hn::Eq(zeroed, zero));
}

/// addRun of whole vectors, at most kKernelElements.
void addVectors(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                HalfFigures &figures)
{
    const D16 d;
    HWY_ALIGN std::uint16_t distances[kKernelElements];
    LaneCounts counts;
    std::uint64_t zeroed = 0;
    if (countFinite(a, b, count, distances, counts)) {
        zeroed = sumOf(counts.zeroed);
        sumFinite(a, b, count, zeroed > 0, figures);
    } else {
        HWY_ALIGN std::uint16_t cleanA[kKernelElements], cleanB[kKernelElements];
        counts = LaneCounts();
        const bool finite = countAny(a, b, count, distances, cleanA, cleanB, counts);
        zeroed = sumOf(counts.zeroed);
        sumFinite(cleanA, cleanB, count, finite, figures);
    }
    const std::size_t block = kWidthBlock * hn::Lanes(d), rest = count % block;
    if (rest != 0)
        std::fill(distances + count, distances + count + block - rest, std::uint16_t{0});
    const std::uint64_t equalBefore = figures.ulp[0];
    countWidths(distances, count, figures.ulp.data());
    figures.equal += figures.ulp[0] - equalBefore;
    figures.zeroed += zeroed;
    figures.revived += sumOf(counts.revived);
    figures.notFinite += sumOf(counts.notFinite);
    figures.finite += count - sumOf(counts.infinite);
    figures.maxUlp =
        std::max<std::uint32_t>(figures.maxUlp, hn::GetLane(hn::MaxOfLanes(d, counts.maxUlp)));
}

/// Adds what whole vectors hold; returns how many elements that are.
std::size_t addRun(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                   HalfFigures &figures)
{
    const std::size_t whole = count - count % hn::Lanes(D16());
    if (whole > 0)
        addVectors(a, b, whole, figures);
    return whole;
}

/// Sum of the squares of the finite values of whole vectors; returns how many elements that are.
std::size_t addSquares(const std::uint16_t *values, std::size_t count, double &squares,
                       std::uint64_t &finite)
{
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
