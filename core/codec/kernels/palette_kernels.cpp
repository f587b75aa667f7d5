// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/palette_kernels.h"

#include "core/codec/kernels/byte_lookup.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/palette_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/register_table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

template <unsigned Width, bool Streamed>
std::size_t packedRunOf(const std::uint8_t *in, std::size_t inBytes, const std::byte *table,
                        std::uint16_t *out, std::size_t count)
{
    const std::size_t lanes = hn::Lanes(CodeTag());
    const std::size_t step = lanes / 8 * Width;
    const std::size_t reach = unpackReach<Width>();
    const RegisterTable<Width> entries(table);
    std::size_t done = 0;
    for (std::size_t at = 0; done + lanes <= count && at + reach <= inBytes;
         done += lanes, at += step)
        entries.template lookUp<Streamed>(unpackVector<Width>(in + at), out + done);
    return done;
}

template <bool Streamed>
std::size_t packedRunTo(const std::uint8_t *in, std::size_t bytes, unsigned width,
                        const std::byte *table, std::uint16_t *out, std::size_t count)
{
    switch (width) {
    case 1: return packedRunOf<1, Streamed>(in, bytes, table, out, count);
    case 2: return packedRunOf<2, Streamed>(in, bytes, table, out, count);
    case 3: return packedRunOf<3, Streamed>(in, bytes, table, out, count);
    case 4: return packedRunOf<4, Streamed>(in, bytes, table, out, count);
    default: return packedRunOf<6, Streamed>(in, bytes, table, out, count);
    }
}

template <unsigned Width, bool Streamed>
std::size_t codeRunOf(const std::uint8_t *codes, const std::byte *table, std::uint16_t *out,
                      std::size_t count)
{
    const CodeTag d;
    const std::size_t lanes = hn::Lanes(d);
    const RegisterTable<Width> entries(table);
    std::size_t done = 0;
    for (; done + lanes <= count; done += lanes)
        entries.template lookUp<Streamed>(hn::LoadU(d, codes + done), out + done);
    return done;
}

/// Looks up from the start of a byte on; returns how many codes, all but the last few. `streamed`:
/// past the caches, from the start of a line on.
std::size_t packedRun(const std::byte *stream, std::size_t bytes, unsigned width,
                      const std::byte *table, bool streamed, std::uint16_t *out, std::size_t count)
{
    const auto *in = reinterpret_cast<const std::uint8_t *>(stream);
    return streamed ? packedRunTo<true>(in, bytes, width, table, out, count)
                    : packedRunTo<false>(in, bytes, width, table, out, count);
}

/// The same for codes of any width, one a byte. Codes of 8 bits: none, where registers cannot hold
/// their codebook.
std::size_t codeRun(const std::uint8_t *codes, unsigned width, const std::byte *table,
                    bool streamed, std::uint16_t *out, std::size_t count)
{
    switch (width) {
    case 1: return codeRunOf<1, false>(codes, table, out, count);
    case 2: return codeRunOf<2, false>(codes, table, out, count);
    case 3: return codeRunOf<3, false>(codes, table, out, count);
    case 4: return codeRunOf<4, false>(codes, table, out, count);
    case 6: return codeRunOf<6, false>(codes, table, out, count);
    default: break;
    }
#if HWY_TARGET <= HWY_AVX3
    return streamed ? codeRunOf<8, true>(codes, table, out, count)
                    : codeRunOf<8, false>(codes, table, out, count);
#else
    static_cast<void>(streamed);
    return 0;
#endif
}

/// Whole lines of halves, past the caches.
HWY_INLINE void streamLines(const std::uint16_t *block, std::size_t halves, std::uint16_t *out)
{
    const hn::CappedTag<std::uint16_t, 32> d;
    for (std::size_t at = 0; at < halves; at += hn::Lanes(d))
        hn::Stream(hn::Load(d, block + at), d, out + at);
}

/// Entries of two or four halves for eight lines at a time, copied: registers cannot hold their
/// tables.
template <std::size_t Vector>
std::size_t copyLinesOf(const std::uint8_t *codes, const std::uint16_t *table, std::uint16_t *out,
                        std::size_t count)
{
    constexpr std::size_t kHalves = 256, kCodes = kHalves / Vector;
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

#if HWY_TARGET <= HWY_AVX3

/// Pairs of halves from two tables of 256, which fill half of the registers.
template <bool Lines>
std::size_t bytePairsRun(const std::uint8_t *codes, const std::byte *tables, std::uint16_t *out,
                         std::size_t count)
{
    constexpr std::size_t kTable = std::size_t{2} << 8; ///< bytes
    const CodeTag d;
    const hn::FixedTag<std::uint16_t, 32> d16;
    alignas(64) std::uint16_t lower[32], upper[32];
    for (std::size_t i = 0; i < 32; ++i) {
        lower[i] = static_cast<std::uint16_t>(i / 2 + i % 2 * 32);
        upper[i] = static_cast<std::uint16_t>(lower[i] + 16);
    }
    const auto toLower = hn::Load(d16, lower), toUpper = hn::Load(d16, upper);
    const RegisterTable<8> first(tables), second(tables + kTable);
    std::size_t done = 0;
    for (; done + hn::Lanes(d) <= count; done += hn::Lanes(d)) {
        const auto some = hn::LoadU(d, codes + done);
        const auto a = first.found(some), b = second.found(some);
        std::uint16_t *const to = out + 2 * done;
        storeHalves<Lines>(decltype(a){_mm512_permutex2var_epi16(a.raw, toLower.raw, b.raw)}, d16,
                           to);
        storeHalves<Lines>(decltype(a){_mm512_permutex2var_epi16(a.raw, toUpper.raw, b.raw)}, d16,
                           to + 32);
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
    case 8: return vector == 2 ? bytePairsRun<Lines>(codes, tables, out, count) : 0;
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

#else

std::size_t vectorRun(const std::uint8_t *, unsigned, const std::byte *, std::size_t, bool,
                      std::uint16_t *, std::size_t)
{
    return 0;
}

std::size_t copyLines(const std::uint8_t *, const std::uint16_t *, std::size_t, std::uint16_t *,
                      std::size_t)
{
    return 0;
}

std::size_t packedRun(const std::byte *, std::size_t, unsigned, const std::byte *, bool,
                      std::uint16_t *, std::size_t)
{
    return 0;
}

std::size_t codeRun(const std::uint8_t *, unsigned, const std::byte *, bool, std::uint16_t *,
                    std::size_t)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(packedRun);
HWY_EXPORT(codeRun);
HWY_EXPORT(vectorRun);
HWY_EXPORT(copyLines);

void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    const std::size_t done = HWY_DYNAMIC_DISPATCH(codeRun)(codes.data(), width, table.data(), false,
                                                           out.data(), out.size());
    lookupBytes(codes.subspan(done), table, out.subspan(done));
}

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

bool streamsPacked(unsigned width, std::uint64_t first, std::span<const std::uint16_t> out)
{
    // Before the first line of the result, whole groups of eight codes and what leads to one.
    return width == 8 || (first + elementsBeforeLine(out)) % 8 == 0;
}

namespace {

void lookupStoredBytes(std::span<const std::uint8_t> codes, std::span<const std::byte> table,
                       bool streamed, std::span<std::uint16_t> out)
{
    std::size_t done = 0;
    if (streamed) {
        done = elementsBeforeLine(std::span<const std::uint16_t>(out));
        lookupBytes(codes.first(done), table, out.first(done));
    }
    done += HWY_DYNAMIC_DISPATCH(codeRun)(codes.data() + done, 8, table.data(), streamed,
                                          out.data() + done, out.size() - done);
    if (streamed && out.size() - done >= kCacheLine)
        fillPastCaches(out.subspan(done), [&](std::size_t at, std::span<std::uint16_t> part) {
            lookupBytes(codes.subspan(done + at, part.size()), table, part);
        });
    else
        lookupBytes(codes.subspan(done), table, out.subspan(done));
}

} // namespace

void lookupPacked(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                  std::span<const std::byte> table, bool streamed, std::span<std::uint16_t> out)
{
    if (width == 8) {
        const auto *codes = reinterpret_cast<const std::uint8_t *>(stream.data()) + first;
        lookupStoredBytes({codes, out.size()}, table, streamed, out);
        return;
    }
    // Up to the next group of eight codes, which starts at a whole byte; past the caches, to one
    // whose halves start a line.
    const bool lines = streamed && streamsPacked(width, first, out);
    const std::size_t before = lines ? elementsBeforeLine(std::span<const std::uint16_t>(out))
                                     : static_cast<std::size_t>((8 - first % 8) % 8);
    const std::size_t head = std::min(out.size(), before);
    std::size_t done = 0;
    for (; done < head; ++done)
        out[done] = entryAt(table, unpackCode(stream, width, first + done));
    if (done < out.size()) {
        const auto rest = stream.subspan((first + done) / 8 * width);
        done += HWY_DYNAMIC_DISPATCH(packedRun)(rest.data(), rest.size(), width, table.data(),
                                                lines, out.data() + done, out.size() - done);
    }
    for (; done < out.size(); ++done)
        out[done] = entryAt(table, unpackCode(stream, width, first + done));
}

} // namespace kernscope::codec
#endif
