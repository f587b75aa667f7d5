// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/palette_kernels.h"

#include "core/codec/kernels/byte_counts.h"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/group_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/numeric/transpose-inl.h"

#ifndef KERNSCOPE_CODEC_EIGHT_MASKS
#define KERNSCOPE_CODEC_EIGHT_MASKS

namespace kernscope::codec {

/// Eight bytes as a number, the first one lowest.
inline std::uint64_t eightMasks(const std::byte *masks)
{
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&word, masks, sizeof(word));
    } else {
        for (unsigned i = 0; i < 8; ++i)
            word |= std::to_integer<std::uint64_t>(masks[i]) << (8 * i);
    }
    return word;
}

} // namespace kernscope::codec

#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Eight groups at a time, as long as their bytes and those that are read behind them end before
/// `bytes`. Returns how many groups; `at` moves on.
template <bool All, bool Lines>
HWY_INLINE std::size_t expandRun(const KeptGroups &groups, std::size_t &at, std::uint16_t *out,
                                 std::size_t step)
{
    constexpr std::size_t kRead = 16; // bytes of a group
    const kernscope::HWY_NAMESPACE::EightHalves d;
    const hn::Repartition<std::uint8_t, decltype(d)> d8;
    const auto *in = reinterpret_cast<const std::uint8_t *>(groups.bytes.data());
    const std::byte *masks = groups.masks.data();
    const std::size_t count = groups.masks.size(), end = groups.bytes.size();
    const std::uint64_t gaps = groups.gap * 0x0706050403020100; // before each group, a byte each
    constexpr std::size_t kLine = kernscope::HWY_NAMESPACE::kLineHalves;
    alignas(64) std::uint16_t block[Lines ? 8 * kLine : 1];
    std::size_t done = 0, from = at;
    for (; done + 8 <= count; done += 8) {
        const std::uint64_t word = eightMasks(masks + done);
        const ByteCounts counts = countsOf(word);
        const std::size_t next = from + 2 * counts.all + 8 * groups.gap;
        if (next + kRead > end)
            break;
        // Bytes before each group; all below 256: numbers of seven groups and their gaps.
        const std::uint64_t before = 2 * counts.before + gaps;
        kernscope::HWY_NAMESPACE::storeTurned<All>(
            [&](unsigned i) HWY_ATTR {
                const auto order = hn::Load(d8, kHalfOrders[word >> (8 * i) & 0xffu].data());
                const auto stored = hn::LoadU(d8, in + from + (before >> (8 * i) & 0xffu));
                return hn::BitCast(d, hn::TableLookupBytesOr0(stored, order));
            },
            groups.lane, groups.rows, Lines ? block + done % kLine : out + done,
            Lines ? kLine : step);
        from = next;
        if (Lines && done % kLine == kLine - 8)
            kernscope::HWY_NAMESPACE::streamRows(block, groups.rows, out + (done + 8 - kLine),
                                                 step);
    }
    // A line that is not whole; one at a time makes the rest of it.
    for (std::size_t row = 0; Lines && row < groups.rows; ++row)
        std::memcpy(out + row * step + done / kLine * kLine, block + row * kLine,
                    done % kLine * sizeof(std::uint16_t));
    at = from;
    return done;
}

#if HWY_TARGET <= HWY_AVX3

/// Four eights of groups, those of the same place in one register.
struct FourEights {
    const std::uint8_t *in[4]; ///< numbers of each eight
    const std::uint8_t *masks; ///< 32 of them
    std::uint8_t before[32];   ///< bytes before each group of its eight
};

/// The numbers of group `i` of each eight at their lanes.
HWY_INLINE __m512i groupOfEach(const FourEights &eights, unsigned i)
{
    const auto numbers = [&](unsigned q) HWY_ATTR {
        const std::uint8_t *const at = eights.in[q] + eights.before[8 * q + i];
        return _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
    };
    const auto order = [&](unsigned q) HWY_ATTR {
        const auto *const at = kHalfOrders[eights.masks[8 * q + i]].data();
        return _mm_load_si128(reinterpret_cast<const __m128i *>(at));
    };
    const auto joined = [](auto part) HWY_ATTR {
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(part(2)), part(3), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    };
    return _mm512_shuffle_epi8(joined(numbers), joined(order));
}

/// Lines of all eight rows, past the caches: what is turned in each 16 bytes of eight registers is
/// a line of each row. Written out, so that all of it stays in registers by any compiler's loops.
HWY_INLINE void streamTurned(const FourEights &eights, std::uint16_t *out, std::size_t step)
{
    const auto at = [&](unsigned i) HWY_ATTR { return groupOfEach(eights, i); };
    const __m512i c0 = at(0), c1 = at(1), c2 = at(2), c3 = at(3);
    const __m512i c4 = at(4), c5 = at(5), c6 = at(6), c7 = at(7);
    const auto storeHalf = [&](__m512i t0, __m512i t1, __m512i t2, __m512i t3,
                               std::uint16_t *to) HWY_ATTR {
        const __m512i a = _mm512_unpacklo_epi32(t0, t1), b = _mm512_unpacklo_epi32(t2, t3);
        const __m512i e = _mm512_unpackhi_epi32(t0, t1), f = _mm512_unpackhi_epi32(t2, t3);
        const auto store = [&](__m512i row, std::size_t place) HWY_ATTR {
            _mm512_stream_si512(reinterpret_cast<__m512i *>(to + place * step), row);
        };
        store(_mm512_unpacklo_epi64(a, b), 0);
        store(_mm512_unpackhi_epi64(a, b), 1);
        store(_mm512_unpacklo_epi64(e, f), 2);
        store(_mm512_unpackhi_epi64(e, f), 3);
    };
    storeHalf(_mm512_unpacklo_epi16(c0, c1), _mm512_unpacklo_epi16(c2, c3),
              _mm512_unpacklo_epi16(c4, c5), _mm512_unpacklo_epi16(c6, c7), out);
    storeHalf(_mm512_unpackhi_epi16(c0, c1), _mm512_unpackhi_epi16(c2, c3),
              _mm512_unpackhi_epi16(c4, c5), _mm512_unpackhi_epi16(c6, c7), out + 4 * step);
}

/// expandRun() of all eight lanes to lines, 32 groups at a time.
std::size_t expandLines(const KeptGroups &groups, std::size_t &at, std::uint16_t *out,
                        std::size_t step)
{
    // Bytes fetched ahead: the next page, where processors stop.
    constexpr std::size_t kAhead = 4096, kLine = 64;
    constexpr std::size_t kRead = 16; // bytes of a group
    const auto *in = reinterpret_cast<const std::uint8_t *>(groups.bytes.data());
    const std::size_t count = groups.masks.size(), end = groups.bytes.size();
    const std::uint64_t gaps = groups.gap * 0x0706050403020100; // before each group, a byte each
    std::size_t done = 0, from = at;
    for (std::size_t fetched = at; done + 32 <= count; done += 32) {
        for (; fetched < from + kAhead; fetched += kLine)
            __builtin_prefetch(in + fetched);
        FourEights eights;
        eights.masks = reinterpret_cast<const std::uint8_t *>(groups.masks.data()) + done;
        std::size_t next = from;
        for (unsigned q = 0; q < 4; ++q) {
            const ByteCounts counts = countsOf(eightMasks(groups.masks.data() + done + 8 * q));
            const std::uint64_t before = 2 * counts.before + gaps;
            std::memcpy(eights.before + 8 * q, &before, sizeof(before));
            eights.in[q] = in + next;
            next += 2 * counts.all + 8 * groups.gap;
        }
        if (next + kRead > end)
            break;
        streamTurned(eights, out + done, step);
        from = next;
    }
    at = from;
    return done;
}

#endif

std::size_t expandEights(const KeptGroups &groups, std::size_t &at, std::uint16_t *out,
                         std::size_t step)
{
    constexpr std::size_t kMostGap = 16;
    if (groups.gap > kMostGap)
        return 0;
#if HWY_TARGET <= HWY_AVX3
    if (groups.lines && groups.lane == 0 && groups.rows == 8)
        return expandLines(groups, at, out, step);
#endif
    if (groups.lane != 0 || groups.rows != 8)
        return groups.lines ? expandRun<false, true>(groups, at, out, step)
                            : expandRun<false, false>(groups, at, out, step);
    return groups.lines ? expandRun<true, true>(groups, at, out, step)
                        : expandRun<true, false>(groups, at, out, step);
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(expandEights);

std::size_t expandGroups(const KeptGroups &groups, std::uint16_t *out, std::size_t step)
{
    std::size_t at = groups.at;
    std::size_t done = HWY_DYNAMIC_DISPATCH(expandEights)(groups, at, out, step);
    for (; done < groups.masks.size(); ++done) {
        const auto mask = std::to_integer<unsigned>(groups.masks[done]);
        const unsigned before = mask & ((1U << groups.lane) - 1U);
        std::size_t number = at + 2U * kBitCounts[before];
        for (unsigned row = 0; row < groups.rows; ++row) {
            const bool kept = (mask >> (groups.lane + row) & 1U) != 0;
            std::uint16_t half = 0;
            if (kept)
                std::memcpy(&half, groups.bytes.data() + number, sizeof(half));
            out[row * step + done] = half;
            number += kept ? sizeof(half) : 0;
        }
        at += 2U * kBitCounts[mask] + groups.gap;
    }
    return at;
}

} // namespace kernscope::codec
#endif
