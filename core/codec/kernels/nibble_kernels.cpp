// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/nibble_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/nibbles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

/// Of the values of the sixteen codes under one scale. Without an offset the difference is the
/// value itself.
template <bool WithOffset>
HWY_INLINE NibbleTable tableOf(const float *values, float scale, float offset)
{
    const SixteenFloats df;
    const auto scales = hn::Set(df, scale);
    const auto offsets = hn::Set(df, offset);
    const auto halvesFrom = [&](std::size_t i) HWY_ATTR {
        const auto value = hn::Load(df, values + i);
        if constexpr (WithOffset)
            return narrowToHalf(df, hn::Mul(scales, hn::Sub(value, offsets)));
        else
            return narrowToHalf(df, hn::Mul(scales, value));
    };
#if HWY_MAX_BYTES >= 64
    return nibbleTable(halvesFrom(0));
#elif HWY_MAX_BYTES >= 32
    return nibbleTable(hn::Combine(SixteenHalves(), halvesFrom(8), halvesFrom(0)));
#else
    const SixteenHalves dh;
    return nibbleTable(hn::Combine(dh, halvesFrom(4), halvesFrom(0)),
                       hn::Combine(dh, halvesFrom(12), halvesFrom(8)));
#endif
}

/// Whole blocks of `steps` vectors of nibbles each.
template <bool Streamed, bool WithOffset>
HWY_INLINE void wholeBlocks(const std::uint8_t *in, const float *values, const float *scales,
                            const float *offsets, std::size_t steps, std::size_t blocks,
                            std::uint16_t *out)
{
    const std::size_t lanes = hn::Lanes(NibbleTag());
    for (std::size_t block = 0; block < blocks; ++block) {
        const NibbleTable table =
            tableOf<WithOffset>(values, scales[block], WithOffset ? offsets[block] : 0.0f);
        for (std::size_t i = 0; i < steps; ++i, in += lanes / 2, out += lanes)
            storeNibbles<Streamed>(table, in, out);
    }
}

template <bool Streamed>
HWY_INLINE void wholeBlocksTo(const std::uint8_t *in, const float *values, const float *scales,
                              const float *offsets, std::size_t steps, std::size_t blocks,
                              std::uint16_t *out)
{
    if (offsets == nullptr)
        wholeBlocks<Streamed, false>(in, values, scales, offsets, steps, blocks, out);
    else
        wholeBlocks<Streamed, true>(in, values, scales, offsets, steps, blocks, out);
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
    for (std::uint64_t left = run.block - phase; at + 16 <= count; left = run.block) {
        const bool lines = run.streamed && reinterpret_cast<std::uintptr_t>(out + at) % 64 == 0;
        if (left == run.block && run.block % (lines ? 32 : step) == 0 && at + left <= count) {
            const auto blocks = static_cast<std::size_t>((count - at) / run.block);
            const auto steps = static_cast<std::size_t>(run.block / step);
            const float *first = offsets == nullptr ? nullptr : offsets + cell;
            if (lines)
                wholeBlocksTo<true>(in + at / 2, values, scales + cell, first, steps, blocks,
                                    out + at);
            else
                wholeBlocksTo<false>(in + at / 2, values, scales + cell, first, steps, blocks,
                                     out + at);
            at += blocks * static_cast<std::size_t>(run.block);
            cell += blocks;
            continue;
        }
        // A part of a block, or blocks of an odd number of sixteens.
        const NibbleTable table =
            tableOf<true>(values, scales[cell], offsets == nullptr ? 0.0f : offsets[cell]);
        const std::size_t end =
            at + static_cast<std::size_t>(std::min<std::uint64_t>(left, count - at)) / 16 * 16;
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
        ++cell;
    }
    return at;
}

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
