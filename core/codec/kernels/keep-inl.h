// SPDX-License-Identifier: GPL-3.0-or-later
// Survivors brought together by byte shuffles, for the encoders of sparse weights.
// Included once for each Highway target: no `#pragma once`.

#if defined(KERNSCOPE_CODEC_KEEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNSCOPE_CODEC_KEEP_INL_H
#undef KERNSCOPE_CODEC_KEEP_INL_H
#else
#define KERNSCOPE_CODEC_KEEP_INL_H
#endif

#include "core/codec/kernels/byte_counts.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "core/codec/kernels/sixteen-inl.h"

#ifndef KERNSCOPE_CODEC_GATHER_ORDERS
#define KERNSCOPE_CODEC_GATHER_ORDERS
namespace kernscope::codec {

/// For every eight bits of a mask, the order of a byte shuffle that brings the halves that are kept
/// to the front.
constexpr std::array<std::array<std::uint8_t, 16>, 256> gatherOrders()
{
    std::array<std::array<std::uint8_t, 16>, 256> orders{};
    for (std::size_t mask = 0; mask < orders.size(); ++mask) {
        std::size_t next = 0;
        for (std::size_t place = 0; place < 8; ++place) {
            if ((mask >> place & 1u) == 0)
                continue;
            orders[mask][2 * next] = static_cast<std::uint8_t>(2 * place);
            orders[mask][2 * next + 1] = static_cast<std::uint8_t>(2 * place + 1);
            ++next;
        }
    }
    return orders;
}
alignas(64) inline constexpr auto kGatherOrders = gatherOrders();

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

/// A bit for each lane of halves.
HWY_INLINE std::uint64_t maskBitsOf(hn::Mask<SixteenHalves> mask)
{
#if HWY_TARGET <= HWY_AVX3
    return mask.raw;
#else
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(SixteenHalves(), mask, bits);
    return bits[0] | std::uint64_t{bits[1]} << 8;
#endif
}

/// Eight values as halves.
HWY_INLINE hn::Vec<hn::FixedTag<std::uint16_t, 8>> halvesAt(const float *in)
{
    const hn::CappedTag<float, 8> d;
#if HWY_MAX_BYTES >= 32
    return narrowToHalf(d, hn::LoadU(d, in));
#else
    const hn::FixedTag<std::uint16_t, 8> dh;
    return hn::Combine(dh, narrowToHalf(d, hn::LoadU(d, in + 4)),
                       narrowToHalf(d, hn::LoadU(d, in)));
#endif
}
HWY_INLINE hn::Vec<hn::FixedTag<std::uint16_t, 8>> halvesAt(const std::uint16_t *in)
{
    return hn::LoadU(hn::FixedTag<std::uint16_t, 8>(), in);
}

/// As many values as a vector has halves.
template <class T>
HWY_INLINE HalfVec manyHalvesAt(const T *in)
{
    if constexpr (hn::MaxLanes(SixteenHalves()) == 8)
        return halvesAt(in);
    else
        return hn::Combine(SixteenHalves(), halvesAt(in + 8), halvesAt(in));
}

/// Brings those of eight values that `bits` names to the front, as halves.
template <class T>
HWY_INLINE void storeKept(const T *in, unsigned bits, std::uint16_t *out)
{
    const hn::FixedTag<std::uint16_t, 8> dh;
    const hn::FixedTag<std::uint8_t, 16> d8;
    const auto order = hn::Load(d8, kGatherOrders[bits & 0xffu].data());
    const auto half = hn::BitCast(d8, halvesAt(in));
    hn::StoreU(hn::BitCast(dh, hn::TableLookupBytes(half, order)), dh, out);
}

#if HWY_TARGET == HWY_AVX3_DL

/// 32 values as halves.
HWY_INLINE hn::Vec<hn::FixedTag<std::uint16_t, 32>> lineOfHalves(const float *in)
{
    const hn::FixedTag<float, 16> d;
    return hn::Combine(hn::FixedTag<std::uint16_t, 32>(), narrowToHalf(d, hn::LoadU(d, in + 16)),
                       narrowToHalf(d, hn::LoadU(d, in)));
}
HWY_INLINE hn::Vec<hn::FixedTag<std::uint16_t, 32>> lineOfHalves(const std::uint16_t *in)
{
    return hn::LoadU(hn::FixedTag<std::uint16_t, 32>(), in);
}

/// Brings those of 64 values that `word` names to the front, as halves.
template <class T>
HWY_INLINE std::size_t storeKeptOf(const T *in, std::uint64_t word, std::uint16_t *out)
{
    const hn::FixedTag<std::uint16_t, 32> d;
    const auto store = [&](const T *from, std::uint64_t bits, std::uint16_t *to) HWY_ATTR {
        // In a register: the instruction that writes memory itself is slow on some processors.
        const hn::Vec<decltype(d)> kept{
            _mm512_maskz_compress_epi16(static_cast<__mmask32>(bits), lineOfHalves(from).raw)};
        hn::StoreU(kept, d, to);
    };
    store(in, word & 0xffffffff, out);
    store(in + 32, word >> 32, out + hwy::PopCount(word & 0xffffffff));
    return static_cast<std::size_t>(hwy::PopCount(word));
}

#else

/// Brings those of 64 values that `word` names to the front, as halves.
template <class T>
HWY_INLINE std::size_t storeKeptOf(const T *in, std::uint64_t word, std::uint16_t *out)
{
    // Where each eight begin is known at once, so that none waits for the one before.
    const ByteCounts counts = countsOf(word);
    for (unsigned i = 0; i < 8; ++i)
        storeKept(in + 8 * i, static_cast<unsigned>(word >> (8 * i)),
                  out + (counts.before >> (8 * i) & 0xffu));
    return counts.all;
}

#endif

/// Stores a word of the mask and what it keeps of 64 values; returns how many.
template <class T>
HWY_INLINE std::size_t storeWord(const T *in, std::uint64_t word, std::uint8_t *mask,
                                 std::uint16_t *out)
{
    for (unsigned i = 0; i < 8; ++i)
        mask[i] = static_cast<std::uint8_t>(word >> (8 * i));
    return storeKeptOf(in, word, out);
}

inline constexpr std::size_t kAhead = 1024; ///< values, 4 KiB: the next page, where processors stop

/// Fetches what lies behind the next 64 values.
HWY_INLINE void fetchAhead(const float *in)
{
    for (std::size_t line = 0; line < 64; line += 16)
        __builtin_prefetch(in + kAhead + line);
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
