// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

// AVX-512 only where VBMI2 has an instruction for this; else AVX2.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/keep_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/keep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

/// Eight bits: which of eight values are below the limit (NaN is not).
HWY_INLINE std::uint8_t smallOnes(const float *in, float least)
{
    const hn::CappedTag<float, 8> d;
    const auto limit = hn::Set(d, least);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Lt(hn::Abs(hn::LoadU(d, in)), limit), bits);
    if constexpr (hn::MaxLanes(d) == 8)
        return bits[0];
    std::uint8_t others[8] = {};
    hn::StoreMaskBits(d, hn::Lt(hn::Abs(hn::LoadU(d, in + 4)), limit), others);
    return static_cast<std::uint8_t>(bits[0] | others[0] << 4);
}

/// smallOnes of 64 values.
HWY_INLINE std::uint64_t smallWord(const float *in, float least)
{
#if HWY_TARGET <= HWY_AVX3
    const hn::FixedTag<float, 16> d;
    const auto limit = hn::Set(d, least);
    const auto small = [&](std::size_t at) HWY_ATTR {
        return std::uint64_t{hn::Lt(hn::Abs(hn::LoadU(d, in + at)), limit).raw} << at;
    };
    return small(0) | small(16) | small(32) | small(48);
#else
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64; i += 8)
        word |= std::uint64_t{smallOnes(in + i, least)} << i;
    return word;
#endif
}

/// Groups of 64, then of eight, their survivors shuffled to the front; `*kept` counts them.
std::size_t keepRun(const float *in, std::size_t count, float least, std::uint8_t *mask,
                    std::uint16_t *out, std::size_t *kept)
{
    std::size_t next = 0;
    std::size_t at = 0;
    for (; at + 64 <= count; at += 64) {
        fetchAhead(in + at);
        next += storeWord(in + at, ~smallWord(in + at, least), mask + at / 8, out + next);
    }
    for (; at + 8 <= count; at += 8) {
        const unsigned bits = ~unsigned{smallOnes(in + at, least)} & 0xffu;
        mask[at / 8] = static_cast<std::uint8_t>(bits);
        storeKept(in + at, bits, out + next);
        next += static_cast<std::size_t>(std::popcount(bits));
    }
    *kept = next;
    return at;
}

/// Groups of 64; also lists the survivors below `limit`.
std::size_t keepNearRun(const float *in, std::size_t count, float least, float limit,
                        std::uint8_t *mask, std::uint16_t *out, NearValue *list, KeptCounts *counts)
{
    KeptCounts all;
    std::size_t at = 0;
    for (; at + 64 <= count; at += 64) {
        fetchAhead(in + at);
        const std::uint64_t word = ~smallWord(in + at, least);
        std::uint64_t left = word & smallWord(in + at, limit);
        const auto listFirst = [&]() HWY_ATTR {
            const std::uint64_t below = (left & (0 - left)) - 1;
            list[all.near] = {static_cast<std::uint32_t>(at + hwy::PopCount(below)),
                              static_cast<std::uint32_t>(all.kept + hwy::PopCount(word & below))};
            all.near += left != 0 ? 1 : 0;
            left &= left - 1;
        };
        // Most often none or one: written in any case, so that nothing has to be foreseen.
        listFirst();
        while (HWY_UNLIKELY(left != 0))
            listFirst();
        all.kept += storeWord(in + at, word, mask + at / 8, out + all.kept);
    }
    *counts = all;
    return at;
}

/// Sixty-four bits: which of 64 halves are not zero.
HWY_INLINE std::uint64_t nonzeroWord(const std::uint16_t *in)
{
#if HWY_TARGET <= HWY_AVX3
    const hn::FixedTag<std::uint16_t, 32> d;
    const auto nonzero = [&](std::size_t at) HWY_ATTR {
        const auto magnitude = hn::And(hn::LoadU(d, in + at), hn::Set(d, 0x7fff));
        return std::uint64_t{hn::Ne(magnitude, hn::Zero(d)).raw};
    };
    return nonzero(0) | nonzero(32) << 32;
#else
    const SixteenHalves d;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
        const auto magnitude = hn::And(hn::LoadU(d, in + i), hn::Set(d, 0x7fff));
        word |= maskBitsOf(hn::Ne(magnitude, hn::Zero(d))) << i;
    }
    return word;
#endif
}

std::size_t nonzeroRun(const std::uint16_t *in, std::size_t count, std::uint8_t *mask,
                       std::uint16_t *out, std::size_t *kept)
{
    std::size_t next = 0;
    std::size_t at = 0;
    for (; at + 64 <= count; at += 64) {
        const std::uint64_t word = nonzeroWord(in + at);
        next += storeWord(in + at, word, mask + at / 8, out + next);
    }
    *kept = next;
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(keepRun);
HWY_EXPORT(keepNearRun);
HWY_EXPORT(nonzeroRun);

namespace {

/// What is not above 2^-25 becomes zero in fp16; NaN is below nothing.
float leastKept(float threshold)
{
    constexpr float kSmallest = 0x1.000002p-25f;
    return std::max(threshold, kSmallest);
}

std::uint8_t *maskBits(std::span<std::byte> mask)
{
    return reinterpret_cast<std::uint8_t *>(mask.data());
}

/// Sets or clears the bit of a value; the first one of a byte clears the others.
void setBit(std::span<std::byte> mask, std::size_t at, bool value)
{
    if (at % 8 == 0)
        mask[at / 8] = std::byte{0};
    mask[at / 8] |= static_cast<std::byte>((value ? 1u : 0u) << (at % 8));
}

} // namespace

std::size_t keepLarge(std::span<const float> values, float threshold, std::span<std::byte> mask,
                      std::span<std::uint16_t> kept)
{
    std::size_t next = 0;
    const float least = leastKept(threshold);
    std::size_t at = HWY_DYNAMIC_DISPATCH(keepRun)(values.data(), values.size(), least,
                                                   maskBits(mask), kept.data(), &next);
    for (; at < values.size(); ++at) {
        const bool large = !(std::abs(values[at]) < least);
        setBit(mask, at, large);
        if (large)
            kept[next++] = floatToHalf(values[at]);
    }
    return next;
}

KeptCounts keepLarge(std::span<const float> values, float threshold, float limit,
                     std::span<std::byte> mask, std::span<std::uint16_t> kept,
                     std::span<NearValue> near)
{
    KeptCounts counts;
    const float least = leastKept(threshold);
    std::size_t at =
        HWY_DYNAMIC_DISPATCH(keepNearRun)(values.data(), values.size(), least, limit,
                                          maskBits(mask), kept.data(), near.data(), &counts);
    for (; at < values.size(); ++at) {
        const float magnitude = std::abs(values[at]);
        const bool large = !(magnitude < least);
        setBit(mask, at, large);
        if (!large)
            continue;
        if (magnitude < limit)
            near[counts.near++] = {static_cast<std::uint32_t>(at),
                                   static_cast<std::uint32_t>(counts.kept)};
        kept[counts.kept++] = floatToHalf(values[at]);
    }
    return counts;
}

std::size_t keepNonzero(std::span<const std::uint16_t> halves, std::span<std::byte> mask,
                        std::span<std::uint16_t> kept)
{
    std::size_t next = 0;
    std::size_t at = HWY_DYNAMIC_DISPATCH(nonzeroRun)(halves.data(), halves.size(), maskBits(mask),
                                                      kept.data(), &next);
    for (; at < halves.size(); ++at) {
        const bool nonzero = (halves[at] & 0x7fffu) != 0;
        setBit(mask, at, nonzero);
        if (nonzero)
            kept[next++] = halves[at];
    }
    return next;
}

} // namespace kernscope::codec
#endif
