// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"

#include "core/codec/decode/decoder_state.h"
#include "core/codec/decode/ordered.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>

namespace kernscope::codec {

namespace {

/// Codes of palettes: indices of the runs that the place of each element gives.
void indexCodes(const Decoder::State &state, std::uint64_t first, std::span<std::int64_t> out)
{
    std::array<std::uint8_t, kBlockElements> codes;
    for (std::size_t done = 0; done < out.size();) {
        const IndexPlace place = state.placeOf(first + done);
        const std::size_t count =
            std::min<std::uint64_t>({out.size() - done, place.run, kBlockElements});
        state.indices(place.index, std::span(codes).first(count));
        std::uint64_t rank = state.mask ? state.mask->rank(place.index) : 0;
        for (std::size_t i = 0; i < count; ++i) {
            const bool kept = !state.mask || state.mask->test(place.index + i);
            const bool held = kept && (!state.mask || rank < state.payloadElements);
            out[done + i] = held ? codes[i] : Decoder::kNotStored;
            rank += kept ? 1 : 0;
        }
        done += count;
    }
}

/// Counts the codes of consecutive elements, `row` of which at a time have one codebook.
void countUse(const Decoder::State &state, std::uint64_t first, std::span<const std::int64_t> codes,
              std::size_t row, std::vector<std::uint64_t> &counts)
{
    for (std::size_t at = 0; at < codes.size(); at += row) {
        std::uint64_t *book = counts.data() + state.codebookAt(first + at) * state.palette->entries;
        for (const std::int64_t code : codes.subspan(at, row)) {
            if (code != Decoder::kNotStored)
                ++book[code];
        }
    }
}

std::vector<std::uint64_t> orderedUse(const Decoder::State &state,
                                      std::vector<std::uint64_t> counts, Progress *progress)
{
    constexpr std::uint64_t kPart = 32 * kBlockElements;
    std::vector<std::int64_t> codes(std::min(state.elements, kPart));
    for (std::uint64_t at = 0; at < state.elements;) {
        // Elements of one tile, whose rows have a codebook each; else one element at a time.
        const std::uint64_t left = std::min(kPart, state.elements - at);
        const auto tile = state.tiles != nullptr ? state.tiles->tileAt(at, left) : std::nullopt;
        const auto some = std::span(codes).first(
            tile ? tile->elements() : std::min<std::uint64_t>(left, kBlockElements));
        state.orderedCodes(at, some);
        countUse(state, at, some, tile ? tile->columns : 1, counts);
        at += some.size();
        if (progress != nullptr && !progress->advance(some.size()))
            break;
    }
    return counts;
}

std::int64_t payloadCode(const Decoder::State &state, std::uint64_t index)
{
    if (!state.payloadDecoder)
        return loadCode(state.payload.bytes, state.payload.type, index);
    std::int64_t code = 0;
    state.payloadDecoder->codes(index, std::span(&code, 1));
    return code;
}

} // namespace

const Encoding &Decoder::encoding() const
{
    return m_state->encoding;
}

ElementCount Decoder::elements() const
{
    return ElementCount(m_state->elements);
}

ElementType Decoder::type() const
{
    return m_state->encoding.type;
}

void Decoder::decodeHalf(std::uint64_t first, std::span<std::uint16_t> out) const
{
    m_state->decodeHalf(first, out);
}

void Decoder::decodeFloat(std::uint64_t first, std::span<float> out) const
{
    m_state->decodeFloat(first, out);
}

bool Decoder::stored(std::uint64_t element) const
{
    if (m_state->payload.order)
        return positionIn(m_state->payload, 8, element).has_value();
    if (!m_state->mask)
        return true;
    return m_state->mask->test(m_state->palette ? m_state->placeOf(element).index : element);
}

void Decoder::codes(std::uint64_t first, std::span<std::int64_t> out) const
{
    const State &state = *m_state;
    if (state.payload.order) {
        state.orderedCodes(first, out);
        return;
    }
    if (state.palette) {
        indexCodes(state, first, out);
        return;
    }
    if (!state.mask) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = payloadCode(state, first + i);
        return;
    }
    std::uint64_t rank = out.empty() ? 0 : state.mask->rank(first);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = kNotStored;
        if (!state.mask->test(first + i))
            continue;
        if (rank < state.payloadElements)
            out[i] = payloadCode(state, rank);
        ++rank;
    }
}

std::uint64_t Decoder::rank(std::uint64_t n) const
{
    if (m_state->skipsZeros())
        return m_state->storedElements().rank(std::min(n, m_state->elements));
    return m_state->mask ? m_state->mask->rank(std::min(n, m_state->mask->bits())) : n;
}

ElementCount Decoder::payloadElements() const
{
    return ElementCount(m_state->skipsZeros() ? rank(m_state->elements) : m_state->payloadElements);
}

Decoder::CodebookPlace Decoder::codebookOf(std::uint64_t element) const
{
    if (!m_state->palette)
        return {};
    const IndexPlace place = m_state->placeOf(element);
    return {m_state->codebookAt(place.index), place.lane};
}

std::vector<std::uint64_t> Decoder::codebookUse(Progress *progress) const
{
    const State &state = *m_state;
    if (!state.palette)
        return {};
    const PaletteState &palette = *state.palette;
    std::vector<std::uint64_t> counts(palette.codebooks * palette.entries);
    if (state.payload.order)
        return orderedUse(state, std::move(counts), progress);
    std::array<std::uint8_t, kBlockElements> codes;
    for (std::uint64_t at = 0; at < state.indexElements;) {
        GridWalker walker(palette.grid, at);
        const std::size_t count =
            std::min<std::uint64_t>({state.indexElements - at, walker.cellLeft(), kBlockElements});
        state.indices(at, std::span(codes).first(count));
        std::uint64_t *book = counts.data() + walker.cell() * palette.entries;
        std::uint64_t rank = state.mask ? state.mask->rank(at) : 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (state.mask) {
                if (!state.mask->test(at + i))
                    continue;
                if (rank++ >= state.payloadElements)
                    continue;
            }
            ++book[codes[i]];
        }
        at += count;
        if (progress != nullptr && !progress->advance(count))
            break;
    }
    return counts;
}

std::span<const float> Decoder::codebookValues() const
{
    if (!m_state->palette)
        return {};
    const PaletteState &palette = *m_state->palette;
    std::call_once(palette.valuesMade, [&palette] {
        palette.values.resize(palette.codebooks * palette.entries * palette.vector);
        convertToFloat(palette.lut.bytes, palette.lut.type, 0, palette.values);
    });
    return palette.values;
}

} // namespace kernscope::codec
