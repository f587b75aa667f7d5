// SPDX-License-Identifier: GPL-3.0-or-later
// Nibbles looked up in a table of sixteen halves: what sixteen codes stand for under one scale.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_CODEC_NIBBLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_CODEC_NIBBLES_INL_H
#undef KERNSCOPE_CODEC_NIBBLES_INL_H
#else
#define KERNSCOPE_CODEC_NIBBLES_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "core/codec/kernels/sixteen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

/// As many nibbles at a time as a vector of up to 32 bytes has lanes.
using NibbleTag = hn::CappedTag<std::uint8_t, 32>;

/// The next Lanes(NibbleTag()) nibbles, one a byte and in order.
HWY_INLINE hn::Vec<NibbleTag> loadManyNibbles(const std::uint8_t *in)
{
    const NibbleTag d;
#if HWY_MAX_BYTES >= 32
    const SixteenBytes half;
    const auto stored = hn::LoadU(half, in);
    const auto low = hn::And(stored, hn::Set(half, 15));
    const auto high = hn::ShiftRight<4>(stored);
    return hn::Combine(d, hn::InterleaveUpper(half, low, high),
                       hn::InterleaveLower(half, low, high));
#else
    static_cast<void>(d);
    return loadNibbles(in);
#endif
}

#if HWY_TARGET <= HWY_AVX3

/// Sixteen halves, twice, for a lookup of 32 at once.
struct NibbleTable {
    hn::Vec<hn::FixedTag<std::uint16_t, 32>> halves;
};

HWY_INLINE NibbleTable nibbleTable(HalfVec halves)
{
    return {hn::Vec<hn::FixedTag<std::uint16_t, 32>>{_mm512_broadcast_i64x4(halves.raw)}};
}

template <bool Streamed>
HWY_INLINE void storeNibbles(const NibbleTable &table, const std::uint8_t *in, std::uint16_t *out)
{
    const hn::FixedTag<std::uint16_t, 32> dh;
    const auto codes = hn::PromoteTo(dh, loadManyNibbles(in));
    const hn::Vec<decltype(dh)> found{_mm512_permutexvar_epi16(codes.raw, table.halves.raw)};
    if constexpr (Streamed) // to an aligned place
        hn::Stream(found, dh, out);
    else
        hn::StoreU(found, dh, out);
}

#else

/// The lower and the upper bytes of sixteen halves, repeated in every 16 bytes of a vector.
struct NibbleTable {
    hn::Vec<NibbleTag> lower, upper;
};

#if HWY_MAX_BYTES >= 32
HWY_INLINE NibbleTable nibbleTable(HalfVec halves)
{
    const NibbleTag d;
    const hn::Repartition<std::uint64_t, NibbleTag> d64;
    alignas(16) static constexpr std::uint8_t kApart[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                            1, 3, 5, 7, 9, 11, 13, 15};
    const auto apart =
        hn::BitCast(d64, hn::TableLookupBytes(hn::BitCast(d, halves), hn::LoadDup128(d, kApart)));
    return {hn::BitCast(d, hn::ConcatEven(d64, apart, apart)),
            hn::BitCast(d, hn::ConcatOdd(d64, apart, apart))};
}
#else
HWY_INLINE NibbleTable nibbleTable(HalfVec first, HalfVec second)
{
    const NibbleTag d;
    const auto low = hn::BitCast(d, first);
    const auto high = hn::BitCast(d, second);
    return {hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low)};
}
#endif

template <bool Streamed>
HWY_INLINE void storeNibbles(const NibbleTable &table, const std::uint8_t *in, std::uint16_t *out)
{
    const NibbleTag d;
    const hn::Repartition<std::uint16_t, NibbleTag> dh;
    const auto codes = loadManyNibbles(in);
    const auto lower = hn::TableLookupBytes(table.lower, codes);
    const auto upper = hn::TableLookupBytes(table.upper, codes);
    const auto first = hn::BitCast(dh, hn::InterleaveLower(d, lower, upper));
    const auto second = hn::BitCast(dh, hn::InterleaveUpper(d, lower, upper));
#if HWY_MAX_BYTES >= 32
    // The interleaving works on 16 bytes each: put the halves into order.
    const auto before = hn::ConcatLowerLower(dh, second, first);
    const auto after = hn::ConcatUpperUpper(dh, second, first);
#else
    const auto before = first;
    const auto after = second;
#endif
    if constexpr (Streamed) { // to an aligned place
        hn::Stream(before, dh, out);
        hn::Stream(after, dh, out + hn::Lanes(dh));
    } else {
        hn::StoreU(before, dh, out);
        hn::StoreU(after, dh, out + hn::Lanes(dh));
    }
}

#endif

/// Of sixteen halves at a place that is aligned to 32 bytes.
HWY_INLINE NibbleTable loadNibbleTable(const std::uint16_t *halves)
{
    const SixteenHalves dh;
#if HWY_MAX_BYTES >= 32
    return nibbleTable(hn::Load(dh, halves));
#else
    return nibbleTable(hn::Load(dh, halves), hn::Load(dh, halves + 8));
#endif
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
