// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/palette_kernels.h"

#include "core/numeric/bitpack.h"

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

/// A codebook of at most 64 halves in registers: low and high bytes of 16 entries each.
template <unsigned Quarters>
class RegisterTable
{
public:
    RegisterTable(const std::byte *table, std::size_t entries)
    {
        const CodeTag d;
        alignas(64) std::uint8_t low[64] = {};
        alignas(64) std::uint8_t high[64] = {};
        for (std::size_t i = 0; i < entries; ++i) {
            low[i] = std::to_integer<std::uint8_t>(table[2 * i]);
            high[i] = std::to_integer<std::uint8_t>(table[2 * i + 1]);
        }
        low0 = hn::LoadDup128(d, low);
        high0 = hn::LoadDup128(d, high);
        if constexpr (Quarters == 4) {
            low1 = hn::LoadDup128(d, low + 16);
            low2 = hn::LoadDup128(d, low + 32);
            low3 = hn::LoadDup128(d, low + 48);
            high1 = hn::LoadDup128(d, high + 16);
            high2 = hn::LoadDup128(d, high + 32);
            high3 = hn::LoadDup128(d, high + 48);
        }
    }

    /// Stores the halves of Lanes(CodeTag()) codes.
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
        hn::StoreU(hn::ConcatLowerLower(d16, second, first), d16, out);
        hn::StoreU(hn::ConcatUpperUpper(d16, second, first), d16, out + lanes);
#else
        hn::StoreU(first, d16, out);
        hn::StoreU(second, d16, out + lanes);
#endif
    }

private:
    using V = hn::Vec<CodeTag>;

    static HWY_INLINE V pick(V codes, V t0, V t1, V t2, V t3)
    {
        if constexpr (Quarters == 1) {
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

template <unsigned Width>
std::size_t packedRunOf(const std::uint8_t *in, std::size_t inBytes, const std::byte *table,
                        std::uint16_t *out, std::size_t count)
{
    const std::size_t lanes = hn::Lanes(CodeTag());
    const std::size_t step = lanes / 8 * Width;
    const std::size_t reach = unpackReach<Width>();
    const RegisterTable<Width <= 4 ? 1 : 4> entries(table, std::size_t{1} << Width);
    std::size_t done = 0;
    for (std::size_t at = 0; done + lanes <= count && at + reach <= inBytes;
         done += lanes, at += step)
        entries.lookUp(unpackVector<Width>(in + at), out + done);
    return done;
}

/// Looks up from the start of a byte on; returns how many codes, all but the last few.
std::size_t packedRun(const std::byte *stream, std::size_t bytes, unsigned width,
                      const std::byte *table, std::uint16_t *out, std::size_t count)
{
    const auto *in = reinterpret_cast<const std::uint8_t *>(stream);
    switch (width) {
    case 1: return packedRunOf<1>(in, bytes, table, out, count);
    case 2: return packedRunOf<2>(in, bytes, table, out, count);
    case 3: return packedRunOf<3>(in, bytes, table, out, count);
    case 4: return packedRunOf<4>(in, bytes, table, out, count);
    default: return packedRunOf<6>(in, bytes, table, out, count);
    }
}

template <unsigned Quarters>
std::size_t codeRunOf(const std::uint8_t *codes, const std::byte *table, std::size_t entries,
                      std::uint16_t *out, std::size_t count)
{
    const CodeTag d;
    const std::size_t lanes = hn::Lanes(d);
    const RegisterTable<Quarters> inRegisters(table, entries);
    std::size_t done = 0;
    for (; done + lanes <= count; done += lanes)
        inRegisters.lookUp(hn::LoadU(d, codes + done), out + done);
    return done;
}

/// The same for codes of at most 6 bits, one a byte.
std::size_t codeRun(const std::uint8_t *codes, unsigned width, const std::byte *table,
                    std::uint16_t *out, std::size_t count)
{
    const std::size_t entries = std::size_t{1} << width;
    return width <= 4 ? codeRunOf<1>(codes, table, entries, out, count)
                      : codeRunOf<4>(codes, table, entries, out, count);
}

#else

std::size_t packedRun(const std::byte *, std::size_t, unsigned, const std::byte *, std::uint16_t *,
                      std::size_t)
{
    return 0;
}

std::size_t codeRun(const std::uint8_t *, unsigned, const std::byte *, std::uint16_t *, std::size_t)
{
    return 0;
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

namespace {

std::uint16_t entryAt(std::span<const std::byte> table, std::size_t code)
{
    std::uint16_t half = 0;
    std::memcpy(&half, table.data() + 2 * code, sizeof(half));
    return half;
}

/// Codebooks of 256 entries: four lookups to a store.
void lookupBytes(const std::uint8_t *codes, std::span<const std::byte> table,
                 std::span<std::uint16_t> out)
{
    std::size_t i = 0;
    for (; i + 4 <= out.size(); i += 4) {
        const std::uint64_t four = std::uint64_t{entryAt(table, codes[i])} |
                                   std::uint64_t{entryAt(table, codes[i + 1])} << 16 |
                                   std::uint64_t{entryAt(table, codes[i + 2])} << 32 |
                                   std::uint64_t{entryAt(table, codes[i + 3])} << 48;
        std::memcpy(&out[i], &four, sizeof(four));
    }
    for (; i < out.size(); ++i)
        out[i] = entryAt(table, codes[i]);
}

/// Entries whose size the compiler knows.
template <std::size_t Vector>
void lookupVectorsOf(std::span<const std::uint8_t> codes, const std::uint16_t *table,
                     std::uint16_t *out)
{
    for (const std::uint8_t code : codes) {
        std::memcpy(out, table + code * Vector, Vector * sizeof(std::uint16_t));
        out += Vector;
    }
}

} // namespace

HWY_EXPORT(packedRun);
HWY_EXPORT(codeRun);

void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    std::size_t done = 0;
    if (width <= 6)
        done = HWY_DYNAMIC_DISPATCH(codeRun)(codes.data(), width, table.data(), out.data(),
                                             out.size());
    lookupBytes(codes.data() + done, table, out.subspan(done));
}

void lookupPacked(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                  std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    if (width == 8) {
        lookupBytes(reinterpret_cast<const std::uint8_t *>(stream.data()) + first, table, out);
        return;
    }
    // Up to the next group of eight codes, which starts at a whole byte.
    std::size_t done = 0;
    const auto head = std::min<std::size_t>(out.size(), (8 - first % 8) % 8);
    for (; done < head; ++done)
        out[done] = entryAt(table, unpackCode(stream, width, first + done));
    if (done < out.size()) {
        const auto rest = stream.subspan((first + done) / 8 * width);
        done += HWY_DYNAMIC_DISPATCH(packedRun)(rest.data(), rest.size(), width, table.data(),
                                                out.data() + done, out.size() - done);
    }
    for (; done < out.size(); ++done)
        out[done] = entryAt(table, unpackCode(stream, width, first + done));
}

void lookupVectors(std::span<const std::uint8_t> codes, std::span<const std::uint16_t> table,
                   std::size_t vector, std::span<std::uint16_t> out)
{
    switch (vector) {
    case 2: lookupVectorsOf<2>(codes, table.data(), out.data()); return;
    case 3: lookupVectorsOf<3>(codes, table.data(), out.data()); return;
    case 4: lookupVectorsOf<4>(codes, table.data(), out.data()); return;
    case 5: lookupVectorsOf<5>(codes, table.data(), out.data()); return;
    case 8: lookupVectorsOf<8>(codes, table.data(), out.data()); return;
    default: break;
    }
    for (std::size_t i = 0; i < codes.size(); ++i)
        std::memcpy(&out[i * vector], &table[codes[i] * vector], vector * sizeof(std::uint16_t));
}

void lookupFloats(std::span<const std::uint8_t> codes, std::span<const float> table,
                  std::span<float> out)
{
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table[codes[i]];
}

} // namespace kernscope::codec
#endif
