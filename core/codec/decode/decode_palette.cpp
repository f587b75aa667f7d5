// SPDX-License-Identifier: GPL-3.0-or-later
// The palette step of decoding.
#include "core/codec/decode/decoder_state.h"
#include "core/codec/kernels/palette_kernels.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <array>

namespace kernscope::codec {

namespace {

bool startsLine(std::span<const std::uint16_t> out)
{
    return elementsBeforeLine(out) == 0;
}

} // namespace

std::span<const std::byte> PaletteState::halfTable(std::uint64_t codebook, std::uint64_t lane) const
{
    const std::uint64_t table = codebook * vector + lane;
    const auto bytes = halves.empty() ? lut.bytes : std::as_bytes(std::span(halves));
    return bytes.subspan(table * entries * 2, entries * 2);
}

std::span<const float> PaletteState::floatTable(std::uint64_t codebook, std::uint64_t lane) const
{
    return std::span(floats).subspan((codebook * vector + lane) * entries, entries);
}

IndexPlace Decoder::State::placeOf(std::uint64_t element) const
{
    const PaletteState &p = *palette;
    if (p.vector == 1)
        return {element, 0, elements - element};
    const std::uint64_t inside = element % p.inner;
    const std::uint64_t onAxis = element / p.inner % p.axisExtent;
    const std::uint64_t outside = element / p.inner / p.axisExtent;
    IndexPlace place;
    place.index = (outside * (p.axisExtent / p.vector) + onAxis / p.vector) * p.inner + inside;
    place.lane = onAxis % p.vector;
    place.run = p.inner - inside;
    return place;
}

void Decoder::State::indices(std::uint64_t first, std::span<std::uint8_t> out) const
{
    if (!mask) {
        unpackCodes(payload.bytes, palette->width, first, out);
        return;
    }
    std::array<std::uint8_t, kBlockElements> compact;
    std::uint64_t next = mask->rank(first);
    forEachBlock(first, out, [&](std::uint64_t position, std::span<std::uint8_t> part) {
        const std::uint64_t rank = std::min(next, payloadElements);
        const std::uint64_t kept = countBits(mask->bytes(), position, part.size());
        next += kept;
        const auto some = std::span(compact).first(std::min(kept, payloadElements - rank));
        unpackCodes(payload.bytes, palette->width, rank, some);
        expandBytes(mask->bytes(), position, some, part);
    });
}

void Decoder::State::paletteFloats(std::uint64_t first, std::span<float> out) const
{
    std::array<std::uint8_t, kBlockElements> codes;
    std::array<std::uint16_t, kBlockElements> halves;
    for (std::size_t done = 0; done < out.size();) {
        const IndexPlace place = placeOf(first + done);
        const GridWalker walker(palette->grid, place.index);
        const std::size_t count = std::min<std::uint64_t>(
            {out.size() - done, place.run, walker.cellLeft(), kBlockElements});
        const auto some = std::span(codes).first(count);
        const auto part = out.subspan(done, count);
        indices(place.index, some);
        if (!palette->floats.empty()) {
            lookupFloats(some, palette->floatTable(walker.cell(), place.lane), part);
        } else {
            lookupCodes(some, palette->width, palette->halfTable(walker.cell(), place.lane),
                        std::span(halves).first(count));
            convertHalfToFloat(std::span(halves).first(count), part);
        }
        if (mask)
            clearGaps(mask->bytes(), place.index, part);
        done += count;
    }
}

void Decoder::State::vectorLanes(std::uint64_t first, bool streamed,
                                 std::span<std::uint16_t> out) const
{
    if (streamed) {
        // To the first line; vectors begin there too (paletteStreams()).
        const std::size_t head = elementsBeforeLine(std::span<const std::uint16_t>(out));
        if (head != 0)
            vectorLanes(first, false, out.first(head));
        first += head;
        out = out.subspan(head);
        if (out.empty())
            return;
    }
    // The vector axis is the last one: each index becomes V neighbours.
    const std::uint64_t vector = palette->vector;
    constexpr std::size_t kCodes = 4 * kBlockElements; // tables are filled once for them
    std::array<std::uint8_t, kCodes> codes;
    const std::uint64_t last = (first + out.size() - 1) / vector;
    std::uint64_t lane = first % vector; // of the first element that is still to come
    GridWalker walker(palette->grid, first / vector);
    for (std::uint64_t index = first / vector; index <= last;) {
        std::size_t count = std::min<std::uint64_t>({kCodes, last + 1 - index, walker.cellLeft()});
        const auto book =
            std::span(palette->vectors)
                .subspan(walker.cell() * palette->entries * vector, palette->entries * vector);
        const auto lanes = std::as_bytes(std::span(palette->halves))
                               .subspan(walker.cell() * palette->entries * vector * 2);
        if (lane != 0 || out.size() < count * vector)
            count = lane != 0 || out.size() < vector ? 1 : count - 1; // parts of vectors alone
        indices(index, std::span(codes).first(count));
        const std::size_t filled = std::min<std::uint64_t>(count * vector - lane, out.size());
        if (filled == count * vector)
            lookupVectors(std::span(codes).first(count), palette->width, lanes, book, vector,
                          streamed && startsLine(out), out.first(filled));
        else
            std::copy_n(book.begin() + static_cast<std::ptrdiff_t>(codes[0] * vector + lane),
                        filled, out.begin());
        for (std::size_t i = 0; mask && i < filled; ++i) {
            if (!mask->test(index + (lane + i) / vector))
                out[i] = 0;
        }
        out = out.subspan(filled);
        lane = 0;
        index += count;
        walker.advance(count);
    }
}

bool Decoder::State::paletteStreams(std::uint64_t first, std::span<const std::uint16_t> out) const
{
    // Each run of a codebook has a few elements before its first line, one by one.
    constexpr std::uint64_t kLongRun = 1024;
    const std::uint64_t vector = palette->vector;
    if (!mask && (vector == 2 || vector == 4) && palette->inner == 1)
        return (first + elementsBeforeLine(out)) % vector == 0 &&
               GridWalker(palette->grid, first / vector).block() >= kLongRun;
    return !mask && palette->vector == 1 && GridWalker(palette->grid, first).block() >= kLongRun &&
           streamsPacked(palette->width, first, out);
}

void Decoder::State::paletteHalves(std::uint64_t first, bool streamed,
                                   std::span<std::uint16_t> out) const
{
    if (palette->vector > 1 && palette->inner == 1) {
        vectorLanes(first, streamed, out);
        return;
    }
    std::array<std::uint8_t, kBlockElements> codes;
    for (std::size_t done = 0; done < out.size();) {
        const IndexPlace place = placeOf(first + done);
        GridWalker walker(palette->grid, place.index);
        const auto run = out.subspan(done, std::min<std::uint64_t>(out.size() - done, place.run));
        for (std::size_t at = 0; at < run.size();) {
            const std::uint64_t cellRun =
                std::min<std::uint64_t>(run.size() - at, walker.cellLeft());
            const auto table = palette->halfTable(walker.cell(), place.lane);
            const std::size_t count =
                mask ? std::min<std::uint64_t>(cellRun, kBlockElements) : cellRun;
            const auto part = run.subspan(at, count);
            if (mask) {
                indices(place.index + at, std::span(codes).first(count));
                lookupCodes(std::span(codes).first(count), palette->width, table, part);
                clearGaps(mask->bytes(), place.index + at, part);
            } else {
                lookupPacked(payload.bytes, palette->width, place.index + at, table, streamed,
                             part);
            }
            at += count;
            walker.advance(count);
        }
        done += run.size();
    }
}

} // namespace kernscope::codec
