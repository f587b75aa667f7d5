// SPDX-License-Identifier: GPL-3.0-or-later
// Significant bits of very many numbers of 16 bits, counted by bits instead of by numbers.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_DIFF_WIDTHS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_DIFF_WIDTHS_INL_H
#undef KERNSCOPE_DIFF_WIDTHS_INL_H
#else
#define KERNSCOPE_DIFF_WIDTHS_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::diff::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

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

#endif

} // namespace kernscope::diff::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
