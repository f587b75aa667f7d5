// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/palette_kernels.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <cstring>

// AVX-512 only where VBMI2 has an instruction for this; else AVX2.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/palette_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/register_table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

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

#if HWY_TARGET <= HWY_AVX3_DL

/// Codes of 8 bits, a register of them at a time.
template <bool Streamed>
std::size_t byteRunOf(const std::uint8_t *codes, const std::byte *table, std::uint16_t *out,
                      std::size_t count)
{
    const SixtyFour d;
    const hn::FixedTag<std::uint16_t, 32> d16;
    const HalfPlanes entries(table);
    // The interleaving works on 16 bytes each: codes go where their halves come out in order.
    const hn::FixedTag<std::uint64_t, 8> d64;
    alignas(64) static constexpr std::uint64_t kOrder[] = {0, 4, 1, 5, 2, 6, 3, 7};
    const auto order = hn::Load(d64, kOrder);
    std::size_t done = 0;
    for (; done + 64 <= count; done += 64) {
        const auto stored = hn::LoadU(d, codes + done);
        const auto some = hn::Vec<SixtyFour>{_mm512_permutexvar_epi64(order.raw, stored.raw)};
        const auto found = entries.lookUp(some, _mm512_movepi8_mask(some.raw));
        storeHalves<Streamed>(found.first, d16, out + done);
        storeHalves<Streamed>(found.second, d16, out + done + 32);
    }
    return done;
}

#endif

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
#if HWY_TARGET <= HWY_AVX3_DL
    return streamed ? byteRunOf<true>(codes, table, out, count)
                    : byteRunOf<false>(codes, table, out, count);
#elif HWY_TARGET <= HWY_AVX3
    return streamed ? codeRunOf<8, true>(codes, table, out, count)
                    : codeRunOf<8, false>(codes, table, out, count);
#else
    static_cast<void>(streamed);
    return 0;
#endif
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(packedRun);
HWY_EXPORT(codeRun);

void lookupCodes(std::span<const std::uint8_t> codes, unsigned width,
                 std::span<const std::byte> table, std::span<std::uint16_t> out)
{
    const std::size_t done = HWY_DYNAMIC_DISPATCH(codeRun)(codes.data(), width, table.data(), false,
                                                           out.data(), out.size());
    lookupBytes(codes.subspan(done), table, out.subspan(done));
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
