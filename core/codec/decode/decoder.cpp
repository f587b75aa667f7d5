// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"

#include "core/codec/decode/decoder_state.h"
#include "core/codec/decode/ordered.h"
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Codes of a palette, by their places in the index tensor.
void placeCodes(const Decoder::State &state, std::uint64_t place, std::span<std::int64_t> out)
{
    std::array<std::uint8_t, kBlockElements> codes;
    std::uint64_t rank = state.mask && !out.empty() ? state.mask->rank(place) : 0;
    forEachBlock(place, out, [&](std::uint64_t at, std::span<std::int64_t> part) {
        state.indices(at, std::span(codes).first(part.size()));
        for (std::size_t i = 0; i < part.size(); ++i) {
            const bool kept = !state.mask || state.mask->test(at + i);
            const bool held = kept && (!state.mask || rank < state.payloadElements);
            part[i] = held ? codes[i] : Decoder::kNotStored;
            rank += kept ? 1 : 0;
        }
    });
}

std::int64_t payloadCode(const Decoder::State &state, std::uint64_t index)
{
    if (!state.payloadDecoder)
        return loadCode(state.payload.bytes, state.payload.type, index);
    std::int64_t code = 0;
    state.payloadDecoder->codes(madeElement(state.encoding, index), std::span(&code, 1));
    return code;
}

Diagnostic found(Severity severity, std::string code, PartRole role, std::string expected,
                 std::string foundText, std::string message)
{
    return {severity, valueError(code, partRoleName(role), std::move(expected),
                                 std::move(foundText), std::move(message))};
}

/// Set bits of the whole mask; nothing where it was asked to stop before the end.
std::optional<std::uint64_t> population(const MaskIndex &mask, std::uint64_t elementsABit,
                                        Progress *progress)
{
    constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
    std::uint64_t total = 0;
    for (std::uint64_t bit = 0; bit < mask.bits(); bit += kStep) {
        const std::uint64_t count = std::min(kStep, mask.bits() - bit);
        total += countBits(mask.bytes(), bit, count);
        if (progress != nullptr && !progress->advance(count * elementsABit))
            return std::nullopt;
    }
    return total;
}

void verifyMask(const Decoder::State &state, Progress *progress, Diagnostics &diagnostics)
{
    const MaskIndex &mask = *state.mask;
    const std::uint64_t last = mask.bits() % 8;
    if (last != 0) {
        const unsigned tail = std::to_integer<unsigned>(mask.bytes()[mask.bits() / 8]) >> last;
        if (tail != 0)
            diagnostics.push_back(found(Severity::Warning, "codec.mask_tail", PartRole::Mask,
                                        fmt::format("{} clear bits behind the last", 8 - last),
                                        fmt::format("0x{:02x} there", tail),
                                        "Padding bits of the mask are set; they are ignored"));
    }
    const std::uint64_t vector = state.palette ? state.palette->vector : 1;
    const auto bits = population(mask, vector, progress);
    if (bits && *bits != state.payloadElements)
        diagnostics.push_back(
            found(Severity::Error, "codec.mask", PartRole::Mask,
                  fmt::format("{} set bits, one a stored value", state.payloadElements),
                  fmt::format("{} set bits", *bits), "The mask does not match its values"));
}

void verifyScales(const Operand &scales, Diagnostics &diagnostics)
{
    std::array<float, kBlockElements> values;
    const std::uint64_t count = elementCount(scales.shape)->value;
    std::uint64_t bad = 0;
    std::uint64_t firstBad = 0;
    float firstValue = 0;
    for (std::uint64_t at = 0; at < count; at += kBlockElements) {
        const auto some =
            std::span(values).first(std::min<std::uint64_t>(kBlockElements, count - at));
        convertToFloat(scales.bytes, scales.type, at, some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (std::isfinite(some[i]))
                continue;
            if (bad++ == 0) {
                firstBad = at + i;
                firstValue = some[i];
            }
        }
    }
    if (bad > 0)
        diagnostics.push_back(found(Severity::Warning, "codec.scale_nonfinite", scales.role,
                                    "finite numbers",
                                    fmt::format("{} of {} not finite, the first {} at index {}",
                                                bad, count, firstValue, firstBad),
                                    "Scales or offsets are infinite or not a number"));
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
        return positionIn(m_state->payload, 8, m_state->indexOf(element)).has_value();
    return !m_state->mask || m_state->mask->test(m_state->indexOf(element));
}

void Decoder::codes(std::uint64_t first, std::span<std::int64_t> out) const
{
    const State &state = *m_state;
    const bool vectors = state.palette && state.palette->vector > 1;
    if (state.payload.order && !vectors)
        return state.orderedCodes(first, out);
    for (std::size_t i = 0; state.payload.order && i < out.size(); ++i)
        state.orderedCodes(state.indexOf(first + i), out.subspan(i, 1));
    if (state.payload.order)
        return;
    while (state.palette && !out.empty()) {
        const IndexPlace place = state.placeOf(first);
        const std::size_t count = std::min<std::uint64_t>(out.size(), place.run);
        placeCodes(state, place.index, out.first(count));
        first += count;
        out = out.subspan(count);
    }
    if (state.palette)
        return;
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
        return m_state->storedElements().rank(std::min(n, m_state->indexElements));
    return m_state->mask ? m_state->mask->rank(std::min(n, m_state->mask->bits())) : n;
}

ElementCount Decoder::payloadElements() const
{
    return ElementCount(m_state->skipsZeros() ? rank(m_state->indexElements)
                                              : m_state->payloadElements);
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
    const bool ordered = state.payload.order != nullptr;
    constexpr std::uint64_t kPart = 32 * kBlockElements;
    std::vector<std::int64_t> codes(std::min(state.indexElements, kPart));
    for (std::uint64_t at = 0; at < state.indexElements;) {
        // Indices of one codebook, or in an order of their own, one at a time.
        const std::uint64_t left = std::min(kPart, state.indexElements - at);
        const std::size_t count =
            ordered ? left : std::min(left, GridWalker(palette.grid, at).cellLeft());
        const std::size_t row = ordered ? 1 : count;
        const auto some = std::span(codes).first(count);
        ordered ? state.orderedCodes(at, some) : placeCodes(state, at, some);
        for (std::size_t first = 0; first < count; first += row) {
            std::uint64_t *book = counts.data() + state.codebookAt(at + first) * palette.entries;
            for (const std::int64_t code : some.subspan(first, row)) {
                if (code != kNotStored)
                    ++book[code];
            }
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

Diagnostics Decoder::verify(Progress *progress) const
{
    const State &state = *m_state;
    Diagnostics diagnostics;
    if (state.mask)
        verifyMask(state, progress, diagnostics);
    else if (progress != nullptr)
        progress->advance(state.elements);
    if (state.scaling) {
        verifyScales(state.scaling->scale, diagnostics);
        if (state.scaling->offset && isFloatingPoint(state.scaling->offset->type))
            verifyScales(*state.scaling->offset, diagnostics);
    }
    if (state.payloadDecoder) {
        Diagnostics inner = state.payloadDecoder->verify();
        diagnostics.insert(diagnostics.end(), std::make_move_iterator(inner.begin()),
                           std::make_move_iterator(inner.end()));
    }
    return diagnostics;
}

} // namespace kernscope::codec
