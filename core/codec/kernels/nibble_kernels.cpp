// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/scale_kernels.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/nibble_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/codec/kernels/sixteen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// As many nibbles at a time as a vector of up to 32 bytes has lanes.
using NibbleTag = hn::CappedTag<std::uint8_t, 32>;

/// What sixteen codes stand for under one scale: the lower and the upper bytes of their halves,
/// repeated in every 16 bytes of a vector.
struct NibbleTable {
    hn::Vec<NibbleTag> lower, upper;
};

HWY_INLINE NibbleTable tableOf(const float *values, float scale, float offset)
{
    const NibbleTag d;
    const SixteenFloats df;
    const auto scales = hn::Set(df, scale);
    const auto offsets = hn::Set(df, offset);
    const auto halvesFrom = [&](std::size_t i) HWY_ATTR {
        return narrowToHalf(df, hn::Mul(scales, hn::Sub(hn::Load(df, values + i), offsets)));
    };
#if HWY_MAX_BYTES >= 32
    const hn::Repartition<std::uint64_t, NibbleTag> d64;
    alignas(16) static constexpr std::uint8_t kApart[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                            1, 3, 5, 7, 9, 11, 13, 15};
    const auto halves = hn::BitCast(d, hn::Combine(SixteenHalves(), halvesFrom(8), halvesFrom(0)));
    const auto apart = hn::BitCast(d64, hn::TableLookupBytes(halves, hn::LoadDup128(d, kApart)));
    return {hn::BitCast(d, hn::ConcatEven(d64, apart, apart)),
            hn::BitCast(d, hn::ConcatOdd(d64, apart, apart))};
#else
    const hn::Rebind<std::uint16_t, SixteenFloats> dh;
    alignas(16) std::uint16_t halves[16];
    for (std::size_t i = 0; i < 16; i += hn::Lanes(df))
        hn::Store(halvesFrom(i), dh, halves + i);
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(halves);
    const auto first = hn::Load(d, bytes);
    const auto second = hn::Load(d, bytes + 16);
    return {hn::ConcatEven(d, second, first), hn::ConcatOdd(d, second, first)};
#endif
}

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

/// Nibbles that share a scale make one table of sixteen halves: a lookup each instead of
/// arithmetic. Returns how many nibbles, all but the last of a group of sixteen; `phase` and
/// `block` are multiples of 16, `values` those of the sixteen codes.
std::size_t nibbleRun(const std::uint8_t *in, const float *values, const ScaleRun &run,
                      std::uint64_t phase, std::size_t cell, std::uint16_t *out, std::size_t count)
{
    const std::size_t step = hn::Lanes(NibbleTag());
    const float *scales = run.scales.data();
    const float *offsets = run.offsets.empty() ? nullptr : run.offsets.data();
    std::size_t at = 0;
    for (std::uint64_t left = run.block - phase; at + 16 <= count; ++cell, left = run.block) {
        const NibbleTable table =
            tableOf(values, scales[cell], offsets == nullptr ? 0.0f : offsets[cell]);
        const std::size_t end =
            at + static_cast<std::size_t>(std::min<std::uint64_t>(left, count - at)) / 16 * 16;
        if (run.streamed && reinterpret_cast<std::uintptr_t>(out + at) % step == 0) {
            for (; at + step <= end; at += step)
                storeNibbles<true>(table, in + at / 2, out + at);
        }
        for (; at + step <= end; at += step)
            storeNibbles<false>(table, in + at / 2, out + at);
        if (at < end) { // sixteen, where a vector takes 32
            std::uint8_t some[16] = {};
            std::memcpy(some, in + at / 2, 8);
            std::uint16_t halves[32];
            storeNibbles<false>(table, some, halves);
            std::memcpy(out + at, halves, 16 * sizeof(std::uint16_t));
            at = end;
        }
    }
    if (run.streamed)
        hwy::FlushStream();
    return at;
}

#else

std::size_t nibbleRun(const std::uint8_t *, const float *, const ScaleRun &, std::uint64_t,
                      std::size_t, std::uint16_t *, std::size_t)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(nibbleRun);

namespace {

alignas(64) constexpr float kUnsigned[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
alignas(64) constexpr float kSigned[16] = {0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};

/// The part of `run` that begins `at` elements on.
ScaleRun tailOf(const ScaleRun &run, std::size_t at)
{
    ScaleRun tail = run;
    const std::uint64_t skipped = (run.phase + at) / run.block;
    tail.phase = (run.phase + at) % run.block;
    tail.scales = run.scales.subspan(skipped);
    if (!run.offsets.empty())
        tail.offsets = run.offsets.subspan(skipped);
    return tail;
}

/// Unpacked first, a part at a time: any block and any place.
void throughBytes(std::span<const std::byte> stream, std::uint64_t first, bool twosComplement,
                  const ScaleRun &run, std::span<std::uint16_t> out)
{
    std::array<std::uint8_t, 1024> codes;
    for (std::size_t at = 0; at < out.size(); at += codes.size()) {
        const auto to = out.subspan(at, std::min(codes.size(), out.size() - at));
        const auto some = std::span(codes).first(to.size());
        const auto asSigned = std::span(reinterpret_cast<std::int8_t *>(codes.data()), to.size());
        const ScaleRun part = tailOf(run, at);
        if (twosComplement) {
            unpackInt4(stream, first + at, asSigned);
            scaleToHalf(std::span<const std::int8_t>(asSigned), part, to);
        } else {
            unpackCodes(stream, 4, first + at, some);
            scaleToHalf(std::span<const std::uint8_t>(some), part, to);
        }
    }
}

} // namespace

void scaleNibblesToHalf(std::span<const std::byte> stream, std::uint64_t first, bool twosComplement,
                        const ScaleRun &run, std::span<std::uint16_t> out)
{
    // Up to a place where sixteen elements share a scale; their first bit must start a byte.
    const auto head = std::min<std::size_t>(out.size(), (16 - run.phase % 16) % 16);
    if (run.roundDifference || run.block % 16 != 0 || (first + head) % 2 != 0) {
        throughBytes(stream, first, twosComplement, run, out);
        return;
    }
    throughBytes(stream, first, twosComplement, run, out.first(head));
    const std::uint64_t place = run.phase + head;
    const auto *in = reinterpret_cast<const std::uint8_t *>(stream.data()) + (first + head) / 2;
    const std::size_t at =
        head + HWY_DYNAMIC_DISPATCH(nibbleRun)(in, twosComplement ? kSigned : kUnsigned, run,
                                               place % run.block,
                                               static_cast<std::size_t>(place / run.block),
                                               out.data() + head, out.size() - head);
    if (at < out.size())
        throughBytes(stream, first + at, twosComplement, tailOf(run, at), out.subspan(at));
}

} // namespace kernscope::codec
#endif
