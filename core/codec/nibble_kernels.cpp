// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/scale_kernels.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/nibble_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/sixteen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Groups of sixteen nibbles that share a scale; returns how many nibbles. `phase` and `block` are
/// multiples of 16. `flip`: 8 for unsigned ones, which turns them into two's complement, less 8.
std::size_t nibbleRun(const std::uint8_t *in, std::uint8_t flip, const ScaleRun &run,
                      std::uint64_t phase, std::size_t cell, std::uint16_t *out, std::size_t count)
{
    const SixteenBytes d;
    const SixteenFloats df;
    // Upper bytes of -8 to 7 in fp16; the lower ones are zero.
    alignas(16) static constexpr std::uint8_t kUpper[16] = {0x00, 0x3c, 0x40, 0x42, 0x44, 0x45,
                                                            0x46, 0x47, 0xc8, 0xc7, 0xc6, 0xc5,
                                                            0xc4, 0xc2, 0xc0, 0xbc};
    const auto table = hn::Load(d, kUpper);
    const auto flips = hn::Set(d, flip);
    const auto widen = [](hn::Vec<SomeBytes> upper) HWY_ATTR { return halvesOfUpper(upper); };
    const auto asIs = [](HalfVec halves) HWY_ATTR { return halves; };
    const bool shifted = !run.offsets.empty() || flip != 0;
    const float *scaleOf = run.scales.data();
    std::size_t at = 0;
    const auto plain = [&](std::size_t from, FloatVec scales) HWY_ATTR {
        storeSixteen(
            hn::TableLookupBytes(table, loadNibbles(in + from / 2)), widen,
            [scales](FloatVec value, std::size_t) HWY_ATTR { return hn::Mul(scales, value); }, asIs,
            out + from);
    };
    if (!shifted && run.block == 32 && phase == 0) {
        // The usual case, without a loop of its own for each scale.
        for (; at + 32 <= count; at += 32, ++cell) {
            const auto scales = hn::Set(df, scaleOf[cell]);
            plain(at, scales);
            plain(at + 16, scales);
        }
    }
    for (std::uint64_t left = run.block - phase; at + 16 <= count; ++cell, left = run.block) {
        const float offset =
            (run.offsets.empty() ? 0.0f : run.offsets[cell]) - static_cast<float>(flip);
        const auto scales = hn::Set(df, scaleOf[cell]);
        const auto offsets = hn::Set(df, offset);
        const std::size_t end =
            at + static_cast<std::size_t>(std::min<std::uint64_t>(left, count - at)) / 16 * 16;
        for (; at < end && !shifted; at += 16)
            plain(at, scales);
        for (; at < end; at += 16) {
            const auto codes = hn::Xor(loadNibbles(in + at / 2), flips);
            storeSixteen(
                hn::TableLookupBytes(table, codes), widen,
                [&](FloatVec value, std::size_t)
                    HWY_ATTR { return hn::Mul(scales, hn::Sub(value, offsets)); },
                asIs, out + at);
        }
    }
    return at;
}

#else

std::size_t nibbleRun(const std::uint8_t *, std::uint8_t, const ScaleRun &, std::uint64_t,
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
        head + HWY_DYNAMIC_DISPATCH(nibbleRun)(in, twosComplement ? 0 : 8, run, place % run.block,
                                               static_cast<std::size_t>(place / run.block),
                                               out.data() + head, out.size() - head);
    if (at < out.size())
        throughBytes(stream, first + at, twosComplement, tailOf(run, at), out.subspan(at));
}

} // namespace kernscope::codec
#endif
