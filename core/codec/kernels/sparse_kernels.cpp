// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/palette_kernels.h"

#include "core/codec/kernels/byte_counts.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

// AVX-512 only where VBMI2 has an instruction for this; else AVX2.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/sparse_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#ifndef KERNSCOPE_CODEC_SPARSE_TABLES
#define KERNSCOPE_CODEC_SPARSE_TABLES

namespace kernscope::codec {

/// How far an expansion came: places filled, survivors used.
struct Reached {
    std::size_t places = 0;
    std::size_t survivors = 0;
};

/// Sixty-four mask bits from any bit on; `mask` has a ninth byte from there on where the bit does
/// not start one.
inline std::uint64_t maskWord(const std::uint8_t *mask, std::uint64_t bit)
{
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i) // least significant first, on every machine
        word |= std::uint64_t{mask[bit / 8 + i]} << (8 * i);
    if (const auto shift = static_cast<unsigned>(bit % 8); shift != 0)
        word = word >> shift | std::uint64_t{mask[bit / 8 + 8]} << (64 - shift);
    return word;
}

} // namespace kernscope::codec

#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whether the next 64 places can be filled at once: neither the survivors nor nine bytes of the
/// mask end before.
HWY_INLINE bool hasWord(const Reached &at, const std::uint8_t *mask, std::uint64_t first,
                        const std::uint8_t *last, std::size_t available, std::size_t count)
{
    return at.places + 64 <= count && at.survivors + 64 <= available &&
           last - (mask + (first + at.places) / 8) >= 8;
}

#if HWY_TARGET <= HWY_AVX3

/// Keeps the compiler from joining the load with the instruction that spreads: the one that reads
/// memory itself takes several times as long on some processors (AMD's Zen 4 and 5).
template <class V>
HWY_INLINE V inRegister(V vector)
{
    __asm__("" : "+v"(vector.raw));
    return vector;
}

#endif

#if HWY_TARGET == HWY_AVX3_DL

template <bool Streamed>
HWY_INLINE Reached expandHalfWords(const std::uint8_t *mask, std::uint64_t first,
                                   const std::uint8_t *last, const std::byte *survivors,
                                   std::size_t available, std::uint16_t *out, std::size_t count)
{
    const hn::FixedTag<std::uint16_t, 32> d;
    const auto *in = reinterpret_cast<const std::uint8_t *>(survivors);
    const auto place = [&](std::uint64_t bits, std::size_t survivor, std::size_t to) HWY_ATTR {
        const auto next =
            inRegister(hn::LoadU(hn::Repartition<std::uint8_t, decltype(d)>(), in + 2 * survivor));
        const hn::Vec<decltype(d)> values{
            _mm512_maskz_expand_epi16(static_cast<__mmask32>(bits), next.raw)};
        if constexpr (Streamed)
            hn::Stream(values, d, out + to);
        else
            hn::StoreU(values, d, out + to);
    };
    Reached at;
    while (hasWord(at, mask, first, last, available, count)) {
        const std::uint64_t word = maskWord(mask, first + at.places);
        const auto before = static_cast<std::size_t>(hwy::PopCount(word & 0xffffffff));
        place(word, at.survivors, at.places);
        place(word >> 32, at.survivors + before, at.places + 32);
        at.places += 64;
        at.survivors += static_cast<std::size_t>(hwy::PopCount(word));
    }
    return at;
}

#else

/// Sixteen bytes of survivors, shuffled to their places; eight of a half each.
template <bool Streamed>
HWY_INLINE Reached expandHalfWords(const std::uint8_t *mask, std::uint64_t first,
                                   const std::uint8_t *last, const std::byte *survivors,
                                   std::size_t available, std::uint16_t *out, std::size_t count)
{
    const hn::FixedTag<std::uint8_t, 16> d;
    const hn::FixedTag<std::uint16_t, 8> d16;
    const auto *in = reinterpret_cast<const std::uint8_t *>(survivors);
    Reached at;
    while (hasWord(at, mask, first, last, available, count)) {
        const std::uint64_t word = maskWord(mask, first + at.places);
        const ByteCounts counts = countsOf(word);
        for (unsigned i = 0; i < 8; ++i) {
            const auto order = hn::Load(d, kHalfOrders[word >> (8 * i) & 0xffu].data());
            const std::size_t survivor =
                at.survivors + static_cast<std::size_t>(counts.before >> (8 * i) & 0xffu);
            const auto values =
                hn::BitCast(d16, hn::TableLookupBytesOr0(hn::LoadU(d, in + 2 * survivor), order));
            if constexpr (Streamed)
                hn::Stream(values, d16, out + at.places + 8 * i);
            else
                hn::StoreU(values, d16, out + at.places + 8 * i);
        }
        at.places += 64;
        at.survivors += counts.all;
    }
    return at;
}

#endif

/// `streamed`: past the caches, from the start of a line on.
Reached expandHalfRun(const std::uint8_t *mask, std::uint64_t first, const std::uint8_t *last,
                      const std::byte *survivors, std::size_t available, bool streamed,
                      std::uint16_t *out, std::size_t count)
{
    const hn::FixedTag<std::uint8_t, 16> d;
    const hn::FixedTag<std::uint16_t, 8> d16;
    const auto *in = reinterpret_cast<const std::uint8_t *>(survivors);
    Reached at = streamed
                     ? expandHalfWords<true>(mask, first, last, survivors, available, out, count)
                     : expandHalfWords<false>(mask, first, last, survivors, available, out, count);
    while (at.places + 8 <= count && at.survivors + 8 <= available) {
        const unsigned bits = maskByte(mask, first + at.places, last);
        const auto order = hn::Load(d, kHalfOrders[bits].data());
        const auto values = hn::TableLookupBytesOr0(hn::LoadU(d, in + 2 * at.survivors), order);
        hn::StoreU(hn::BitCast(d16, values), d16, out + at.places);
        at.places += 8;
        at.survivors += kBitCounts[bits];
    }
    return at;
}

Reached expandByteRun(const std::uint8_t *mask, std::uint64_t first, const std::uint8_t *last,
                      const std::byte *survivors, std::size_t available, std::uint8_t *out,
                      std::size_t count)
{
    const hn::FixedTag<std::uint8_t, 8> d;
    const auto *in = reinterpret_cast<const std::uint8_t *>(survivors);
    Reached at;
#if HWY_TARGET == HWY_AVX3_DL
    const hn::FixedTag<std::uint8_t, 64> d64;
    while (hasWord(at, mask, first, last, available, count)) {
        const std::uint64_t word = maskWord(mask, first + at.places);
        const auto next = inRegister(hn::LoadU(d64, in + at.survivors));
        hn::StoreU(hn::Vec<decltype(d64)>{_mm512_maskz_expand_epi8(word, next.raw)}, d64,
                   out + at.places);
        at.places += 64;
        at.survivors += static_cast<std::size_t>(hwy::PopCount(word));
    }
#endif
    while (at.places + 8 <= count && at.survivors + 8 <= available) {
        const unsigned bits = maskByte(mask, first + at.places, last);
        const auto order = hn::Load(d, kByteOrders[bits].data());
        hn::StoreU(hn::TableLookupBytesOr0(hn::LoadU(d, in + at.survivors), order), d,
                   out + at.places);
        at.places += 8;
        at.survivors += kBitCounts[bits];
    }
    return at;
}

Reached expandFloatRun(const std::uint8_t *mask, std::uint64_t first, const std::uint8_t *last,
                       const std::byte *survivors, std::size_t available, float *out,
                       std::size_t count)
{
    const hn::FixedTag<std::uint8_t, 16> d;
    const hn::FixedTag<float, 4> df;
    const auto *in = reinterpret_cast<const std::uint8_t *>(survivors);
    Reached at;
#if HWY_TARGET <= HWY_AVX3
    const hn::FixedTag<float, 16> d16;
    while (hasWord(at, mask, first, last, available, count)) {
        std::uint64_t word = maskWord(mask, first + at.places);
        for (std::size_t i = 0; i < 64; i += 16, word >>= 16) {
            const auto next = inRegister(
                hn::LoadU(hn::Repartition<std::uint8_t, decltype(d16)>(), in + 4 * at.survivors));
            const hn::Vec<decltype(d16)> values{
                _mm512_maskz_expand_ps(static_cast<__mmask16>(word), hn::BitCast(d16, next).raw)};
            hn::StoreU(values, d16, out + at.places + i);
            at.survivors += static_cast<std::size_t>(hwy::PopCount(word & 0xffff));
        }
        at.places += 64;
    }
#endif
    while (at.places + 8 <= count && at.survivors + 8 <= available) {
        const unsigned bits = maskByte(mask, first + at.places, last);
        for (const unsigned four : {bits & 15u, bits >> 4}) {
            const auto order = hn::Load(d, kFloatOrders[four].data());
            const auto values = hn::TableLookupBytesOr0(hn::LoadU(d, in + 4 * at.survivors), order);
            hn::StoreU(hn::BitCast(df, values), df, out + at.places);
            at.places += 4;
            at.survivors += kBitCounts[four];
        }
    }
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(expandHalfRun);
HWY_EXPORT(expandByteRun);
HWY_EXPORT(expandFloatRun);

namespace {

/// Runs the vector code over the survivors as they lie, then over a copy of the last few with
/// zeros behind them, so that it never reads beyond the payload; the last places one by one.
template <class T, class Run>
void expand(std::span<const std::byte> mask, std::uint64_t first,
            std::span<const std::byte> survivors, std::span<T> out, Run run)
{
    if (out.empty())
        return;
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(mask.data());
    const std::uint8_t *last = bytes + mask.size() - 1;
    const std::size_t available = survivors.size() / sizeof(T);
    const auto reached =
        run(bytes, first, last, survivors.data(), available, out.data(), out.size());
    std::size_t place = reached.places;
    std::size_t next = reached.survivors;
    constexpr std::size_t kLeast = 8; // survivors that the vector code wants to see at once
    if (place + kLeast <= out.size() && next <= available && available - next < kLeast) {
        std::array<std::byte, 3 * kLeast * sizeof(T)> padded{};
        std::copy(survivors.begin() + static_cast<std::ptrdiff_t>(next * sizeof(T)),
                  survivors.begin() + static_cast<std::ptrdiff_t>(available * sizeof(T)),
                  padded.begin());
        // It stops once fewer than eight are left to see: by then the real ones are used up.
        const auto more = run(bytes, first + place, last, padded.data(), 2 * kLeast,
                              out.data() + place, out.size() - place);
        place += more.places;
        next += more.survivors;
    }
    for (; place < out.size(); ++place) {
        out[place] = T{};
        if (unpackCode(mask, 1, first + place) == 0)
            continue;
        if (next < available)
            std::memcpy(&out[place], survivors.data() + next * sizeof(T), sizeof(T));
        ++next;
    }
}

} // namespace

void expandHalves(std::span<const std::byte> mask, std::uint64_t first,
                  std::span<const std::byte> survivors, bool streamed, std::span<std::uint16_t> out)
{
    const auto runTo = [](bool past) {
        return [past](const std::uint8_t *bits, std::uint64_t from, const std::uint8_t *last,
                      const std::byte *values, std::size_t available, std::uint16_t *to,
                      std::size_t count) {
            return HWY_DYNAMIC_DISPATCH(expandHalfRun)(bits, from, last, values, available, past,
                                                       to, count);
        };
    };
    if (!streamed) {
        expand(mask, first, survivors, out, runTo(false));
        return;
    }
    // To the first line of the result, where the survivors of that many places end.
    const std::size_t head = elementsBeforeLine(std::span<const std::uint16_t>(out));
    const std::size_t used =
        std::min<std::uint64_t>(2 * countBits(mask, first, head), survivors.size());
    expand(mask, first, survivors, out.first(head), runTo(false));
    expand(mask, first + head, survivors.subspan(used), out.subspan(head), runTo(true));
}

void expandKept(std::span<const std::byte> mask, std::uint64_t first,
                std::span<const std::uint8_t> survivors, std::span<std::uint8_t> out)
{
    expand(mask, first, std::as_bytes(survivors), out, HWY_DYNAMIC_DISPATCH(expandByteRun));
}

void expandKept(std::span<const std::byte> mask, std::uint64_t first,
                std::span<const float> survivors, std::span<float> out)
{
    expand(mask, first, std::as_bytes(survivors), out, HWY_DYNAMIC_DISPATCH(expandFloatRun));
}

} // namespace kernscope::codec
#endif
