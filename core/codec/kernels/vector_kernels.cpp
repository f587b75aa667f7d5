// SPDX-License-Identifier: GPL-3.0-or-later
// Codebooks whose entries are vectors of two or four halves.
#include "core/codec/kernels/palette_kernels.h"

#include <cstring>

// AVX-512 only where VBMI2 has an instruction for this; else AVX2.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/vector_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/register_table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

/// Whole lines of halves, past the caches.
HWY_INLINE void streamLines(const std::uint16_t *block, std::size_t halves, std::uint16_t *out)
{
    const hn::CappedTag<std::uint16_t, 32> d;
    for (std::size_t at = 0; at < halves; at += hn::Lanes(d))
        hn::Stream(hn::Load(d, block + at), d, out + at);
}

/// Entries of two or four halves for some lines at a time, copied: registers cannot hold their
/// tables. Enough of them that the first ones are in the cache when the lines are read: a line of
/// stores that are still on their way there is waited for.
template <std::size_t Vector>
std::size_t copyLinesOf(const std::uint8_t *codes, const std::uint16_t *table, std::uint16_t *out,
                        std::size_t count)
{
    constexpr std::size_t kHalves = 1024, kCodes = kHalves / Vector;
    alignas(64) std::uint16_t block[kHalves];
    std::size_t done = 0;
    for (; done + kCodes <= count; done += kCodes) {
        for (std::size_t i = 0; i < kCodes; ++i)
            std::memcpy(block + i * Vector, table + codes[done + i] * Vector,
                        Vector * sizeof(std::uint16_t));
        streamLines(block, kHalves, out + done * Vector);
    }
    return done;
}

std::size_t copyLines(const std::uint8_t *codes, const std::uint16_t *table, std::size_t vector,
                      std::uint16_t *out, std::size_t count)
{
    return vector == 2 ? copyLinesOf<2>(codes, table, out, count)
                       : copyLinesOf<4>(codes, table, out, count);
}

#if HWY_TARGET <= HWY_AVX3

/// Codes in an order of which interleaving their vectors in each 16 bytes makes lines.
template <std::size_t Vector>
HWY_INLINE hn::Vec<CodeTag> spread(hn::Vec<CodeTag> codes)
{
    if constexpr (Vector == 2) {
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        return hn::Vec<CodeTag>{_mm256_permutevar8x32_epi32(codes.raw, order)};
    } else {
        const __m256i order =
            _mm256_setr_epi16(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        return hn::Vec<CodeTag>{_mm256_permutexvar_epi16(order, codes.raw)};
    }
}

using Halves = hn::Vec<hn::FixedTag<std::uint16_t, 32>>;

template <bool Lines>
HWY_INLINE void storePairs(Halves a, Halves b, std::uint16_t *out)
{
    const hn::FixedTag<std::uint16_t, 32> d;
    storeHalves<Lines>(hn::InterleaveLower(d, a, b), d, out);
    storeHalves<Lines>(hn::InterleaveUpper(d, a, b), d, out + 32);
}

template <bool Lines>
HWY_INLINE void storeFours(Halves a, Halves b, Halves c, Halves e, std::uint16_t *out)
{
    const hn::FixedTag<std::uint16_t, 32> d;
    const hn::FixedTag<std::uint32_t, 16> d32;
    const auto store = [&](auto left, auto right, std::uint16_t *to) HWY_ATTR {
        const auto l = hn::BitCast(d32, left), r = hn::BitCast(d32, right);
        storeHalves<Lines>(hn::BitCast(d, hn::InterleaveLower(d32, l, r)), d, to);
        storeHalves<Lines>(hn::BitCast(d, hn::InterleaveUpper(d32, l, r)), d, to + 32);
    };
    store(hn::InterleaveLower(d, a, b), hn::InterleaveLower(d, c, e), out);
    store(hn::InterleaveUpper(d, a, b), hn::InterleaveUpper(d, c, e), out + 64);
}

/// Vectors of two or four halves, whose first ones, second ones and so on have a table each.
/// `Lines`: past the caches, from the start of a line on.
template <unsigned Width, std::size_t Vector, bool Lines>
std::size_t vectorRunOf(const std::uint8_t *codes, const std::byte *tables, std::uint16_t *out,
                        std::size_t count)
{
    constexpr std::size_t kTable = std::size_t{2} << Width; ///< bytes
    const CodeTag d;
    const RegisterTable<Width> first(tables), second(tables + kTable);
    const RegisterTable<Width> third(tables + (Vector - 2) * kTable);
    const RegisterTable<Width> fourth(tables + (Vector - 1) * kTable);
    std::size_t done = 0;
    for (; done + hn::Lanes(d) <= count; done += hn::Lanes(d)) {
        const auto some = spread<Vector>(hn::LoadU(d, codes + done));
        std::uint16_t *const to = out + done * Vector;
        if constexpr (Vector == 2)
            storePairs<Lines>(first.found(some), second.found(some), to);
        else
            storeFours<Lines>(first.found(some), second.found(some), third.found(some),
                              fourth.found(some), to);
    }
    return done;
}

#if HWY_TARGET <= HWY_AVX3_DL

/// Entries of two halves by codes of 8 bits.
template <bool Lines>
std::size_t bytePairsRun(const std::uint8_t *codes, const std::byte *tables, std::uint16_t *out,
                         std::size_t count)
{
    const SixtyFour d;
    const HalfPlanes first(tables), second(tables + 512);
    // Fours of codes: those of a line in the same place of each 16 bytes.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    std::size_t done = 0;
    for (; done + 64 <= count; done += 64) {
        const hn::Vec<SixtyFour> some{
            _mm512_permutexvar_epi32(order, hn::LoadU(d, codes + done).raw)};
        const __mmask64 upper = _mm512_movepi8_mask(some.raw);
        const auto a = first.lookUp(some, upper), b = second.lookUp(some, upper);
        storePairs<Lines>(a.first, b.first, out + 2 * done);
        storePairs<Lines>(a.second, b.second, out + 2 * done + 64);
    }
    return done;
}

/// Entries of four halves by codes of 8 bits. Not all of their tables fit into registers at once;
/// the first cache holds the rest.
template <bool Lines>
std::size_t byteFoursRun(const std::uint8_t *codes, const std::byte *tables, std::uint16_t *out,
                         std::size_t count)
{
    const SixtyFour d;
    const HalfPlanes first(tables), second(tables + 512);
    const HalfPlanes third(tables + 1024), fourth(tables + 1536);
    // Pairs of codes: those of a line in the same place of each 16 bytes.
    alignas(64) std::uint16_t places[32];
    for (unsigned i = 0; i < 32; ++i)
        places[i] = static_cast<std::uint16_t>(i % 8 * 4 + i / 8);
    const hn::FixedTag<std::uint16_t, 32> d16;
    const auto order = hn::Load(d16, places);
    std::size_t done = 0;
    for (; done + 64 <= count; done += 64) {
        const hn::Vec<SixtyFour> some{
            _mm512_permutexvar_epi16(order.raw, hn::LoadU(d, codes + done).raw)};
        const __mmask64 upper = _mm512_movepi8_mask(some.raw);
        const auto a = first.lookUp(some, upper), b = second.lookUp(some, upper);
        const auto c = third.lookUp(some, upper), e = fourth.lookUp(some, upper);
        storeFours<Lines>(a.first, b.first, c.first, e.first, out + 4 * done);
        storeFours<Lines>(a.second, b.second, c.second, e.second, out + 4 * done + 128);
    }
    return done;
}

#else

/// Pairs of halves from two tables of 256, which fill half of the registers.
template <bool Lines>
std::size_t bytePairsRun(const std::uint8_t *codes, const std::byte *tables, std::uint16_t *out,
                         std::size_t count)
{
    return vectorRunOf<8, 2, Lines>(codes, tables, out, count);
}

template <bool Lines>
std::size_t byteFoursRun(const std::uint8_t *, const std::byte *, std::uint16_t *, std::size_t)
{
    return 0;
}

#endif

#else

/// Vectors of two or four halves, whose first ones, second ones and so on have a table each.
/// `Lines`: past the caches, from the start of a line on.
template <unsigned Width, std::size_t Vector, bool Lines>
std::size_t vectorRunOf(const std::uint8_t *codes, const std::byte *tables, std::uint16_t *out,
                        std::size_t count)
{
    constexpr std::size_t kTable = std::size_t{2} << Width; ///< bytes
    const CodeTag d;
    const hn::Repartition<std::uint16_t, CodeTag> d16;
    const std::size_t lanes = hn::Lanes(d16);
    const RegisterTable<Width> first(tables), second(tables + kTable);
    const RegisterTable<Width> third(tables + (Vector - 2) * kTable);
    const RegisterTable<Width> fourth(tables + (Vector - 1) * kTable);
    alignas(64) std::uint16_t found[4][32];
    alignas(64) std::uint16_t block[Lines ? 32 * Vector : 1];
    // Codes that fill whole lines: fewer of them do not, of narrow vectors.
    if (Lines && hn::Lanes(d) * Vector % 32 != 0)
        return 0;
    std::size_t done = 0;
    for (; done + hn::Lanes(d) <= count; done += hn::Lanes(d)) {
        const auto some = hn::LoadU(d, codes + done);
        first.template lookUp<false>(some, found[0]);
        second.template lookUp<false>(some, found[1]);
        if constexpr (Vector == 4) {
            third.template lookUp<false>(some, found[2]);
            fourth.template lookUp<false>(some, found[3]);
        }
        std::uint16_t *to = Lines ? block : out + done * Vector;
        for (std::size_t i = 0; i < hn::Lanes(d); i += lanes, to += lanes * Vector) {
            const auto a = hn::LoadU(d16, found[0] + i);
            const auto b = hn::LoadU(d16, found[1] + i);
            if constexpr (Vector == 4)
                hn::StoreInterleaved4(a, b, hn::LoadU(d16, found[2] + i),
                                      hn::LoadU(d16, found[3] + i), d16, to);
            else
                hn::StoreInterleaved2(a, b, d16, to);
        }
        if constexpr (Lines)
            streamLines(block, hn::Lanes(d) * Vector, out + done * Vector);
    }
    return done;
}

#endif

template <bool Lines>
std::size_t vectorRunTo(const std::uint8_t *codes, unsigned width, const std::byte *tables,
                        std::size_t vector, std::uint16_t *out, std::size_t count)
{
    if (vector != 2 && vector != 4)
        return 0;
    const auto run = [&](auto two, auto four) HWY_ATTR {
        return vector == 2 ? two(codes, tables, out, count) : four(codes, tables, out, count);
    };
    switch (width) {
    case 1: return run(vectorRunOf<1, 2, Lines>, vectorRunOf<1, 4, Lines>);
    case 2: return run(vectorRunOf<2, 2, Lines>, vectorRunOf<2, 4, Lines>);
    case 3: return run(vectorRunOf<3, 2, Lines>, vectorRunOf<3, 4, Lines>);
    case 4: return run(vectorRunOf<4, 2, Lines>, vectorRunOf<4, 4, Lines>);
    case 6: return run(vectorRunOf<6, 2, Lines>, vectorRunOf<6, 4, Lines>);
#if HWY_TARGET <= HWY_AVX3
    case 8: return run(bytePairsRun<Lines>, byteFoursRun<Lines>);
#endif
    default: return 0;
    }
}

/// The same for codes of `width` bits, one a byte; returns how many. None for codes of 8 bits where
/// registers cannot hold their tables: copying entries is quicker. `lines`: past the caches.
std::size_t vectorRun(const std::uint8_t *codes, unsigned width, const std::byte *tables,
                      std::size_t vector, bool lines, std::uint16_t *out, std::size_t count)
{
    return lines ? vectorRunTo<true>(codes, width, tables, vector, out, count)
                 : vectorRunTo<false>(codes, width, tables, vector, out, count);
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(vectorRun);
HWY_EXPORT(copyLines);

void lookupVectors(std::span<const std::uint8_t> codes, unsigned width,
                   std::span<const std::byte> lanes, std::span<const std::uint16_t> table,
                   std::size_t vector, bool streamed, std::span<std::uint16_t> out)
{
    // Tables in registers are worth filling for a few vectors of codes.
    constexpr std::size_t kMany = 256;
    std::size_t done =
        codes.size() < kMany
            ? 0
            : HWY_DYNAMIC_DISPATCH(vectorRun)(codes.data(), width, lanes.data(), vector, streamed,
                                              out.data(), codes.size());
    if (streamed && done == 0)
        done = HWY_DYNAMIC_DISPATCH(copyLines)(codes.data(), table.data(), vector, out.data(),
                                               codes.size());
    copyVectors(codes.subspan(done), table, vector, out.subspan(done * vector));
}

} // namespace kernscope::codec
#endif
