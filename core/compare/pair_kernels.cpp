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

#include "core/compare/pair_sums-inl.h"
#include "core/compare/widths-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::diff::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

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

#endif

/// Adds what whole vectors hold; returns how many elements that are.
std::size_t addRun(const std::uint16_t *a, const std::uint16_t *b, std::size_t count,
                   HalfFigures &figures)
{
#if HWY_TARGET != HWY_SCALAR
    const std::size_t whole = count - count % hn::Lanes(D16());
    if (whole > 0)
        addVectors(a, b, whole, figures);
    return whole;
#else
    static_cast<void>(a);
    static_cast<void>(b);
    static_cast<void>(count);
    static_cast<void>(figures);
    return 0;
#endif
}

/// The first vector from `from` on that may hold elements so far apart, rounded to fp32; where the
/// vectors end if none does.
std::size_t nextApart(const std::uint16_t *a, const std::uint16_t *b, std::size_t from,
                      std::size_t count, float distance)
{
#if HWY_TARGET != HWY_SCALAR
    const DWide d;
    const DWideHalf dh;
    const std::size_t lanes = hn::Lanes(d);
    for (; from + lanes <= count; from += lanes) {
        const auto va = kernscope::HWY_NAMESPACE::widenHalf(d, hn::LoadU(dh, a + from));
        const auto vb = kernscope::HWY_NAMESPACE::widenHalf(d, hn::LoadU(dh, b + from));
        if (!hn::AllFalse(d, hn::Eq(hn::Abs(hn::Sub(va, vb)), hn::Set(d, distance))))
            break;
    }
#else
    static_cast<void>(a);
    static_cast<void>(b);
    static_cast<void>(count);
    static_cast<void>(distance);
#endif
    return from;
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
HWY_EXPORT(nextApart);

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

std::size_t firstApart(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                       double distance)
{
    constexpr std::size_t kLook = 16; // elements at a time where one of them may be it
    const auto rounded = static_cast<float>(distance);
    for (std::size_t i = 0; i < a.size();) {
        i = HWY_DYNAMIC_DISPATCH(nextApart)(a.data(), b.data(), i, a.size(), rounded);
        for (const std::size_t end = std::min(i + kLook, a.size()); i < end; ++i) {
            const auto x = static_cast<double>(halfToFloat(a[i]));
            const auto y = static_cast<double>(halfToFloat(b[i]));
            if (std::abs(x - y) == distance)
                return i;
        }
    }
    return a.size();
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
