// SPDX-License-Identifier: GPL-3.0-or-later
// Operands whose elements lie in an order of their own: slices of engines, records of sections.
#include "core/codec/decode/ordered.h"

#include "core/codec/decode/decoder_state.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kernscope::codec {

namespace {

using Positions = std::array<std::uint64_t, kBlockElements>;

ByteChange changeAt(std::span<const std::byte> bytes, unsigned width, std::uint64_t position,
                    std::int64_t code, bool highestFirst)
{
    if (width >= 8) {
        ByteChange change = changeOfCode(bytes.subspan(position / 8, width / 8), width, 0, code);
        change.offset += position / 8;
        return change;
    }
    // The bytes as one number in which the code lies whole: the first byte at the end where its
    // bits count from the lowest one, else in front.
    const std::uint64_t first = position / 8, last = (position + width - 1) / 8;
    const auto placeOf = [&](std::uint64_t i) {
        return static_cast<unsigned>(8 * (highestFirst ? last - i : i - first));
    };
    ByteChange change{first, {}};
    unsigned word = 0;
    for (std::uint64_t i = first; i <= last; ++i)
        word |= std::to_integer<unsigned>(bytes[i]) << placeOf(i);
    const auto within = static_cast<unsigned>(position % 8);
    const auto size = static_cast<unsigned>(8 * (last - first + 1));
    const unsigned shift = highestFirst ? size - within - width : within;
    const unsigned mask = ((1U << width) - 1U) << shift;
    const unsigned after = (word & ~mask) | (static_cast<unsigned>(code) << shift & mask);
    for (std::uint64_t i = first; after != word && i <= last; ++i)
        change.bytes.push_back(static_cast<std::byte>(after >> placeOf(i) & 0xFFU));
    return change;
}

/// The fp16 numbers at positions, 0 where they are absent. Without branches: nothing tells which
/// elements a form leaves out.
void gatherHalves(std::span<const std::byte> bytes, std::span<const std::uint64_t> positions,
                  std::span<std::uint16_t> halves)
{
    if (bytes.size() < 2) { // all of them absent
        std::fill_n(halves.begin(), positions.size(), std::uint16_t{0});
        return;
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const bool held = positions[i] != ElementOrder::kAbsent;
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + (held ? positions[i] / 8 : 0), sizeof(half));
        halves[i] = static_cast<std::uint16_t>(half & (0U - (held ? 1U : 0U)));
    }
}

} // namespace

unsigned bitsAt(std::span<const std::byte> bytes, std::uint64_t position, unsigned width,
                bool highestFirst)
{
    const auto shift = static_cast<unsigned>(position % 8);
    if (highestFirst) {
        unsigned pair = std::to_integer<unsigned>(bytes[position / 8]) << 8;
        if (shift + width > 8)
            pair |= std::to_integer<unsigned>(bytes[position / 8 + 1]);
        return pair >> (16 - shift - width) & ((1U << width) - 1U);
    }
    unsigned word = std::to_integer<unsigned>(bytes[position / 8]);
    if (shift + width > 8)
        word |= std::to_integer<unsigned>(bytes[position / 8 + 1]) << 8;
    return word >> shift & ((1U << width) - 1U);
}

std::optional<std::uint64_t> positionIn(const Operand &operand, unsigned width, std::uint64_t index)
{
    if (!operand.order)
        return index * width;
    std::uint64_t position = 0;
    operand.order->positions(index, std::span(&position, 1));
    return position == ElementOrder::kAbsent ? std::nullopt : std::optional(position);
}

std::int64_t codeIn(const Operand &operand, unsigned width, ElementType type, std::uint64_t index)
{
    if (!operand.order)
        return width < 8 && !isSignedInteger(type) ? unpackCode(operand.bytes, width, index)
                                                   : loadCode(operand.bytes, type, index);
    const auto position = positionIn(operand, width, index);
    if (!position)
        return 0;
    if (width >= 8)
        return loadCode(operand.bytes.subspan(*position / 8), type, 0);
    const unsigned bits = bitsAt(operand.bytes, *position, width, operand.order->highestFirst());
    const bool negative = isSignedInteger(type) && (bits >> (width - 1) & 1U) != 0;
    return static_cast<std::int64_t>(bits) - (negative ? std::int64_t{1} << width : 0);
}

std::optional<std::int64_t> operandCode(const Operand &operand, unsigned width, std::uint64_t index)
{
    if (width == 0)
        return std::nullopt;
    const std::uint64_t count =
        operand.order ? operand.order->elements() : operand.bytes.size() * 8 / width;
    if (index >= count || !positionIn(operand, width, index))
        return std::nullopt;
    return codeIn(operand, width, operand.type, index);
}

std::optional<double> operandValue(const Operand &operand, std::uint64_t index)
{
    const auto code = operandCode(operand, bitWidth(operand.type), index);
    return code ? std::optional(codeValue(operand.type, *code)) : std::nullopt;
}

std::vector<ByteChange> changesOf(const Operand &operand, unsigned width, std::uint64_t index,
                                  std::int64_t code)
{
    if (!operand.order)
        return {changeOfCode(operand.bytes, width, index, code)};
    std::vector<ByteChange> changes;
    const bool highestFirst = operand.order->highestFirst();
    if (const auto position = positionIn(operand, width, index))
        changes.push_back(changeAt(operand.bytes, width, *position, code, highestFirst));
    for (const std::uint64_t copy : operand.order->copies(index))
        changes.push_back(changeAt(operand.bytes, width, copy, code, highestFirst));
    return changes;
}

std::vector<std::byte> gathered(const Operand &operand, std::uint64_t count)
{
    const std::uint64_t width = bitWidth(operand.type) / 8;
    std::vector<std::byte> packed(count * width);
    Positions positions;
    for (std::uint64_t at = 0; at < count; at += kBlockElements) {
        const auto some =
            std::span(positions).first(std::min<std::uint64_t>(kBlockElements, count - at));
        operand.order->positions(at, some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (some[i] != ElementOrder::kAbsent)
                std::memcpy(packed.data() + (at + i) * width, operand.bytes.data() + some[i] / 8,
                            width);
        }
    }
    return packed;
}

const MaskIndex &Decoder::State::storedElements() const
{
    std::call_once(storedMade, [this] {
        storedBits.resize(elements / 8 + 1);
        Positions positions;
        for (std::uint64_t at = 0; at < elements; at += kBlockElements) {
            const auto some =
                std::span(positions).first(std::min<std::uint64_t>(kBlockElements, elements - at));
            payload.order->positions(at, some);
            for (std::size_t i = 0; i < some.size(); ++i) {
                const unsigned bit = some[i] != ElementOrder::kAbsent ? 1U : 0U;
                storedBits[(at + i) / 8] |= static_cast<std::byte>(bit << (at + i) % 8);
            }
        }
        storedIndex.emplace(storedBits, elements);
    });
    return *storedIndex;
}

std::uint64_t Decoder::State::codebookAt(std::uint64_t dense) const
{
    return payload.order ? payload.order->table(dense) : palette->grid.cellOf(dense);
}

void Decoder::State::orderedCodes(std::uint64_t first, std::span<std::int64_t> out) const
{
    const unsigned width = codeWidth();
    std::vector<std::uint8_t> codes;
    while (!out.empty()) {
        std::size_t made = 0;
        if (const auto tile = codesAt(first, out.size(), codes)) {
            made = static_cast<std::size_t>(tile->elements());
            const bool isSigned = isSignedInteger(payload.type);
            const unsigned sign = isSigned ? 1U << (width - 1) : 0U;
            for (std::size_t i = 0; i < made; ++i) // two's complement
                out[i] = static_cast<std::int64_t>(codes[i] ^ sign) - sign;
        } else {
            made = std::min(kBlockElements, out.size());
            for (std::size_t i = 0; i < made; ++i)
                out[i] = positionIn(payload, width, first + i)
                             ? codeIn(payload, width, payload.type, first + i)
                             : Decoder::kNotStored;
        }
        first += made;
        out = out.subspan(made);
    }
}

void Decoder::State::orderedFloats(std::uint64_t first, std::span<float> out) const
{
    Positions places;
    const auto positions = std::span(places).first(out.size());
    payload.order->positions(first, positions);
    const unsigned width = codeWidth();
    std::array<std::byte, kBlockElements * 8> packed;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t position = positions[i];
        const bool held = position != ElementOrder::kAbsent;
        if (palette && held) {
            const unsigned code =
                bitsAt(payload.bytes, position, width, payload.order->highestFirst());
            const std::uint64_t book = payload.order->table(first + i);
            out[i] = static_cast<float>(
                loadValue(palette->lut.bytes, palette->lut.type, book * palette->entries + code));
        } else if (width < 8) {
            out[i] = held ? static_cast<float>(codeValue(
                                payload.type, codeIn(payload, width, payload.type, first + i)))
                          : 0.0f;
        } else if (!palette) {
            const std::size_t bytes = width / 8;
            if (held)
                std::memcpy(packed.data() + i * bytes, payload.bytes.data() + position / 8, bytes);
            else
                std::memset(packed.data() + i * bytes, 0, bytes);
        } else {
            out[i] = 0.0f;
        }
    }
    if (!palette && width >= 8)
        convertToFloat(packed, payload.type, 0, out);
    if (!scaling)
        return;
    scaleBlock(first, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (positions[i] == ElementOrder::kAbsent)
            out[i] = 0.0f;
    }
}

void Decoder::State::halvesByPosition(std::uint64_t first, std::span<std::uint16_t> out) const
{
    if (palette || scaling || payload.type != ElementType::Fp16) {
        std::array<float, kBlockElements> values;
        const auto some = std::span(values).first(out.size());
        orderedFloats(first, some);
        convertFloatToHalf(some, out);
        return;
    }
    Positions positions;
    std::array<std::uint16_t, kBlockElements> halves;
    const auto some = std::span(positions).first(out.size());
    payload.order->positions(first, some);
    gatherHalves(payload.bytes, some, halves);
    convertToHalf(std::as_bytes(std::span(halves).first(out.size())), ElementType::Fp16, 0, out);
}

} // namespace kernscope::codec
