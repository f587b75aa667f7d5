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

#include "core/numeric/unpack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using namespace ::kernscope::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

/// Stores a vector of halves; past the caches to an aligned place, anywhere otherwise.
template <bool Streamed, class D>
HWY_INLINE void storeHalves(hn::Vec<D> halves, D d, std::uint16_t *HWY_RESTRICT out)
{
    if constexpr (Streamed)
        hn::Stream(halves, d, out);
    else
        hn::StoreU(halves, d, out);
}

#if HWY_TARGET <= HWY_AVX3

/// A codebook in registers of 32 halves each, of which one instruction looks up in two.
template <unsigned Width>
class RegisterTable
{
public:
    explicit RegisterTable(const std::byte *table)
    {
        alignas(64) std::uint16_t entries[32 * kRegisters] = {};
        std::memcpy(entries, table, sizeof(std::uint16_t) << Width);
        for (std::size_t i = 0; i < kRegisters; ++i)
            m_parts[i] = hn::Load(m_d, entries + 32 * i);
    }

    /// Stores the halves of 32 codes.
    template <bool Streamed>
    HWY_INLINE void lookUp(hn::Vec<CodeTag> codes, std::uint16_t *HWY_RESTRICT out) const
    {
        storeHalves<Streamed>(found(codes), m_d, out);
    }

    using Tag = hn::FixedTag<std::uint16_t, 32>;
    using V = hn::Vec<Tag>;
    HWY_INLINE V found(hn::Vec<CodeTag> codes) const { return pick(hn::PromoteTo(m_d, codes)); }

private:
    static constexpr std::size_t kRegisters = Width <= 4 ? 1 : (std::size_t{1} << Width) / 32;

    HWY_INLINE V two(V codes, std::size_t i) const
    {
        return V{_mm512_permutex2var_epi16(m_parts[i].raw, codes.raw, m_parts[i + 1].raw)};
    }

    HWY_INLINE V pick(V codes) const
    {
        if constexpr (kRegisters == 1) {
            return V{_mm512_permutexvar_epi16(codes.raw, m_parts[0].raw)};
        } else if constexpr (kRegisters == 2) {
            return two(codes, 0);
        } else {
            const auto second = hn::TestBit(codes, hn::Set(m_d, 64));
            const auto upper = hn::TestBit(codes, hn::Set(m_d, 128));
            const V low = hn::IfThenElse(second, two(codes, 2), two(codes, 0));
            const V high = hn::IfThenElse(second, two(codes, 6), two(codes, 4));
            return hn::IfThenElse(upper, high, low);
        }
    }

    Tag m_d;
    V m_parts[kRegisters];
};

#else

/// A codebook of at most 64 halves in registers: low and high bytes of 16 entries each.
template <unsigned Width>
class RegisterTable
{
public:
    explicit RegisterTable(const std::byte *table)
    {
        const CodeTag d;
        alignas(64) std::uint8_t low[64] = {};
        alignas(64) std::uint8_t high[64] = {};
        for (std::size_t i = 0; i < std::size_t{1} << Width; ++i) {
            low[i] = std::to_integer<std::uint8_t>(table[2 * i]);
            high[i] = std::to_integer<std::uint8_t>(table[2 * i + 1]);
        }
        low0 = hn::LoadDup128(d, low);
        high0 = hn::LoadDup128(d, high);
        if constexpr (Width > 4) {
            low1 = hn::LoadDup128(d, low + 16);
            low2 = hn::LoadDup128(d, low + 32);
            low3 = hn::LoadDup128(d, low + 48);
            high1 = hn::LoadDup128(d, high + 16);
            high2 = hn::LoadDup128(d, high + 32);
            high3 = hn::LoadDup128(d, high + 48);
        }
    }

    /// Stores the halves of Lanes(CodeTag()) codes.
    template <bool Streamed>
    HWY_INLINE void lookUp(hn::Vec<CodeTag> codes, std::uint16_t *HWY_RESTRICT out) const
    {
        const CodeTag d;
        const hn::Repartition<std::uint16_t, CodeTag> d16;
        const std::size_t lanes = hn::Lanes(d16);
        const auto low = pick(codes, low0, low1, low2, low3);
        const auto high = pick(codes, high0, high1, high2, high3);
        const auto first = hn::BitCast(d16, hn::InterleaveLower(d, low, high));
        const auto second = hn::BitCast(d16, hn::InterleaveUpper(d, low, high));
#if HWY_MAX_BYTES >= 32
        // The interleaving works on 16 bytes each: put the halves into order.
        storeHalves<Streamed>(hn::ConcatLowerLower(d16, second, first), d16, out);
        storeHalves<Streamed>(hn::ConcatUpperUpper(d16, second, first), d16, out + lanes);
#else
        storeHalves<Streamed>(first, d16, out);
        storeHalves<Streamed>(second, d16, out + lanes);
#endif
    }

private:
    using V = hn::Vec<CodeTag>;

    static HWY_INLINE V pick(V codes, V t0, V t1, V t2, V t3)
    {
        if constexpr (Width <= 4) {
            return hn::TableLookupBytes(t0, codes);
        } else {
            const CodeTag d;
            const V inQuarter = hn::And(codes, hn::Set(d, 15));
            const auto odd = hn::TestBit(codes, hn::Set(d, 16));
            const auto upper = hn::TestBit(codes, hn::Set(d, 32));
            const V low = hn::IfThenElse(odd, hn::TableLookupBytes(t1, inQuarter),
                                         hn::TableLookupBytes(t0, inQuarter));
            const V high = hn::IfThenElse(odd, hn::TableLookupBytes(t3, inQuarter),
                                          hn::TableLookupBytes(t2, inQuarter));
            return hn::IfThenElse(upper, high, low);
        }
    }

    V low0, low1, low2, low3;
    V high0, high1, high2, high3;
};

#endif

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

/// Vectors of two or four halves, whose first ones, second ones and so on have a table each.
template <unsigned Width, std::size_t Vector>
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
    std::size_t done = 0;
    for (; done + hn::Lanes(d) <= count; done += hn::Lanes(d)) {
        const auto some = hn::LoadU(d, codes + done);
        first.template lookUp<false>(some, found[0]);
        second.template lookUp<false>(some, found[1]);
        if constexpr (Vector == 4) {
            third.template lookUp<false>(some, found[2]);
            fourth.template lookUp<false>(some, found[3]);
        }
        std::uint16_t *to = out + done * Vector;
        for (std::size_t i = 0; i < hn::Lanes(d); i += lanes, to += lanes * Vector) {
            const auto a = hn::LoadU(d16, found[0] + i);
            const auto b = hn::LoadU(d16, found[1] + i);
            if constexpr (Vector == 4)
                hn::StoreInterleaved4(a, b, hn::LoadU(d16, found[2] + i),
                                      hn::LoadU(d16, found[3] + i), d16, to);
            else
                hn::StoreInterleaved2(a, b, d16, to);
        }
    }
    return done;
}

#if HWY_TARGET <= HWY_AVX3

/// Pairs of halves from two tables of 256, which fill half of the registers.
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
        hn::StoreU(decltype(a){_mm512_permutex2var_epi16(a.raw, toLower.raw, b.raw)}, d16, to);
        hn::StoreU(decltype(a){_mm512_permutex2var_epi16(a.raw, toUpper.raw, b.raw)}, d16, to + 32);
    }
    return done;
}

#endif

/// The same for codes of `width` bits, one a byte; returns how many. None for codes of 8 bits where
/// registers cannot hold their tables: copying entries is quicker.
std::size_t vectorRun(const std::uint8_t *codes, unsigned width, const std::byte *tables,
                      std::size_t vector, std::uint16_t *out, std::size_t count)
{
    if (vector != 2 && vector != 4)
        return 0;
    const auto run = [&](auto two, auto four) HWY_ATTR {
        return vector == 2 ? two(codes, tables, out, count) : four(codes, tables, out, count);
    };
    switch (width) {
    case 1: return run(vectorRunOf<1, 2>, vectorRunOf<1, 4>);
    case 2: return run(vectorRunOf<2, 2>, vectorRunOf<2, 4>);
    case 3: return run(vectorRunOf<3, 2>, vectorRunOf<3, 4>);
    case 4: return run(vectorRunOf<4, 2>, vectorRunOf<4, 4>);
    case 6: return run(vectorRunOf<6, 2>, vectorRunOf<6, 4>);
#if HWY_TARGET <= HWY_AVX3
    case 8: return vector == 2 ? bytePairsRun(codes, tables, out, count) : 0;
#endif
    default: return 0;
    }
}

#else

std::size_t vectorRun(const std::uint8_t *, unsigned, const std::byte *, std::size_t,
                      std::uint16_t *, std::size_t)
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

void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    const std::size_t done = HWY_DYNAMIC_DISPATCH(codeRun)(codes.data(), width, table.data(), false,
                                                           out.data(), out.size());
    lookupBytes(codes.subspan(done), table, out.subspan(done));
}

void lookupVectors(std::span<const std::uint8_t> codes, unsigned width,
                   std::span<const std::byte> lanes, std::span<const std::uint16_t> table,
                   std::size_t vector, std::span<std::uint16_t> out)
{
    // Tables in registers are worth filling for a few vectors of codes.
    constexpr std::size_t kMany = 256;
    const std::size_t done =
        codes.size() < kMany ? 0
                             : HWY_DYNAMIC_DISPATCH(vectorRun)(codes.data(), width, lanes.data(),
                                                               vector, out.data(), codes.size());
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
