// SPDX-License-Identifier: GPL-3.0-or-later
// Operands whose elements lie in an order of their own: slices of engines, records of sections.
#include "core/codec/decode/ordered.h"

#include "core/codec/kernels/palette_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/stream_copy.h"
#include "core/numeric/transpose.h"

#include <algorithm>
#include <cstring>

namespace kernscope::codec {

namespace {

using Positions = std::array<std::uint64_t, kBlockElements>;

/// What changes where a code is laid over bytes.
ByteChange changeAt(std::span<const std::byte> bytes, unsigned width, std::uint64_t position,
                    std::int64_t code, bool highestFirst)
{
    const std::uint64_t first = position / 8;
    const auto before = bytes.subspan(first, (position + width + 7) / 8 - first);
    std::vector<std::byte> after(before.begin(), before.end());
    putBits(after, position % 8, width, static_cast<std::uint64_t>(code), highestFirst);
    while (!after.empty() && after.back() == before[after.size() - 1])
        after.pop_back();
    const auto differs = std::mismatch(after.begin(), after.end(), before.begin()).first;
    const auto same = static_cast<std::uint64_t>(differs - after.begin());
    after.erase(after.begin(), differs);
    return {first + same, std::move(after)};
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

/// Columns and rows that are turned at a time: their bytes stay in the first cache.
constexpr std::size_t kTileColumns = 256;
constexpr std::size_t kTileRows = 16;
/// Lanes of a column lie together: at most this many for each lane that is needed.
constexpr std::uint64_t kLanesForOne = 32;

/// Where a part of a tile goes: the first element of each next row `step` further.
struct TilePart {
    std::uint64_t column = 0;
    std::size_t columns = 0;
    std::uint64_t row = 0;
    std::size_t rows = 0;
    std::uint16_t *to = nullptr;
    std::size_t step = 0;
    bool lines = false; ///< past the caches, whole lines
};

/// Fills columns [column, end) of a tile stretch by stretch: prepare(column, count), then
/// make(part) for the rows.
template <class Prepare, class Make>
void fillColumns(const OrderTile &tile, std::uint64_t column, std::uint64_t end,
                 std::size_t stretch, bool lines, std::uint16_t *out, Prepare &prepare, Make &make)
{
    for (; column < end; column += stretch) {
        const std::size_t count = std::min<std::uint64_t>(stretch, end - column);
        prepare(column, count);
        for (std::uint64_t row = 0; row < tile.rows; row += kTileRows)
            make(TilePart{column, count, row, std::min<std::uint64_t>(kTileRows, tile.rows - row),
                          out + row * tile.columns + column, tile.columns, lines});
    }
}

/// The same where the rows do not begin lines: by way of a block that the first cache holds.
template <class Prepare, class Make>
void fillByBlock(const OrderTile &tile, std::size_t stretch, std::uint16_t *out, Prepare &prepare,
                 Make &make)
{
    alignas(kCacheLine) std::array<std::uint16_t, kTileRows * kTileColumns> block;
    for (std::uint64_t column = 0; column < tile.columns; column += stretch) {
        const std::size_t count = std::min<std::uint64_t>(stretch, tile.columns - column);
        prepare(column, count);
        for (std::uint64_t row = 0; row < tile.rows; row += kTileRows) {
            const std::size_t some = std::min<std::uint64_t>(kTileRows, tile.rows - row);
            make(TilePart{column, count, row, some, block.data(), count, false});
            std::uint16_t *to = out + row * tile.columns + column;
            const auto made = std::as_bytes(std::span(block).first(some * count));
            if (count == tile.columns) { // whole rows lie one after the other
                streamCopy(made, reinterpret_cast<std::byte *>(to));
                continue;
            }
            for (std::size_t i = 0; i < some; ++i)
                streamCopy(made.subspan(2 * i * count, 2 * count),
                           reinterpret_cast<std::byte *>(to + i * tile.columns));
        }
    }
}

/// All of a tile, of which only rows and columns are looked at.
template <class Prepare, class Make>
void fillTile(const OrderTile &tile, std::size_t stretch, bool streamed, std::uint16_t *out,
              Prepare prepare, Make make)
{
    constexpr std::uint64_t kLine = kCacheLine / sizeof(std::uint16_t);
    if (!streamed)
        return fillColumns(tile, 0, tile.columns, stretch, false, out, prepare, make);
    if (tile.columns % kLine != 0 || stretch % kLine != 0)
        return fillByBlock(tile, stretch, out, prepare, make);
    // Lines of all rows begin in the same columns.
    const std::uint64_t head =
        elementsBeforeLine(std::span<const std::uint16_t>(out, tile.columns));
    const std::uint64_t end = head + (tile.columns - head) / kLine * kLine;
    fillColumns(tile, 0, head, stretch, false, out, prepare, make);
    fillColumns(tile, head, end, stretch, true, out, prepare, make);
    fillColumns(tile, end, tile.columns, stretch, false, out, prepare, make);
}

/// `in`: from the part's first number on.
void turnPart(std::span<const std::byte> in, std::size_t columnBytes, const TilePart &part)
{
    if (part.lines)
        turnHalvesPastCaches(in, columnBytes, part.rows, part.columns, part.to, part.step);
    else
        turnHalves(in, columnBytes, part.rows, part.columns, part.to, part.step);
}

void denseTile(std::span<const std::byte> bytes, const OrderTile &tile, bool streamed,
               std::uint16_t *out)
{
    const auto in = bytes.subspan(tile.bit / 8);
    const std::size_t columnBytes = tile.columnBits / 8;
    fillTile(
        tile, kTileColumns, streamed, out, [](std::uint64_t, std::size_t) {},
        [&](const TilePart &part) {
            turnPart(in.subspan(part.column * columnBytes + 2 * part.row), columnBytes, part);
        });
}

/// A mask byte for each column.
void groupedTile(std::span<const std::byte> bytes, const KeptTile &tile, bool streamed,
                 std::uint16_t *out)
{
    KeptGroups groups;
    groups.bytes = bytes;
    groups.at = tile.at;
    groups.gap = tile.gap;
    groups.lane = static_cast<unsigned>(tile.lane);
    groups.rows = static_cast<unsigned>(tile.rows);
    // Nothing lies between the groups and the rows: long stretches, where no block is between.
    constexpr std::size_t kManyColumns = 4096;
    const bool byBlock = streamed && tile.columns % (kCacheLine / sizeof(std::uint16_t)) != 0;
    fillTile(
        {tile.rows, tile.columns}, byBlock ? kTileColumns : kManyColumns, streamed, out,
        [&](std::uint64_t column, std::size_t count) {
            groups.masks = tile.mask.subspan(column, count);
        },
        [&](const TilePart &part) {
            groups.lines = part.lines;
            groups.at = expandGroups(groups, part.to, part.step);
        });
}

} // namespace

unsigned bitsAt(std::span<const std::byte> bytes, std::uint64_t position, unsigned width,
                bool highestFirst)
{
    const auto shift = static_cast<unsigned>(position % 8);
    const auto first = std::to_integer<unsigned>(bytes[position / 8]);
    const auto second = shift + width > 8 ? std::to_integer<unsigned>(bytes[position / 8 + 1]) : 0U;
    const unsigned both = highestFirst ? (first << 8 | second) >> (16 - shift - width)
                                       : (first | second << 8) >> shift;
    return both & ((1U << width) - 1U);
}

std::optional<std::uint64_t> positionIn(const Operand &operand, unsigned width, std::uint64_t index)
{
    if (!operand.order)
        return index * width;
    std::uint64_t position = 0;
    operand.order->positions(index, std::span(&position, 1));
    return position == ElementOrder::kAbsent ? std::nullopt : std::optional(position);
}

namespace {

/// Of an operand with an order.
std::int64_t codeAt(const Operand &operand, unsigned width, ElementType type,
                    std::uint64_t position)
{
    if (width >= 8)
        return loadCode(operand.bytes.subspan(position / 8), type, 0);
    const unsigned bits = bitsAt(operand.bytes, position, width, operand.order->highestFirst());
    const bool negative = isSignedInteger(type) && (bits >> (width - 1) & 1U) != 0;
    return static_cast<std::int64_t>(bits) - (negative ? std::int64_t{1} << width : 0);
}

} // namespace

std::int64_t codeIn(const Operand &operand, unsigned width, ElementType type, std::uint64_t index)
{
    if (!operand.order)
        return width < 8 && !isSignedInteger(type) ? unpackCode(operand.bytes, width, index)
                                                   : loadCode(operand.bytes, type, index);
    const auto position = positionIn(operand, width, index);
    return position ? codeAt(operand, width, type, *position) : 0;
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
        return {changeAt(operand.bytes, width, index * width, code, false)};
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
    if (width == 0) {
        std::vector<std::uint8_t> codes(count);
        for (std::uint64_t i = 0; i < count; ++i)
            codes[i] =
                static_cast<std::uint8_t>(codeIn(operand, bitWidth(operand.type), operand.type, i));
        std::vector<std::byte> bits(packedBytes(ElementCount(count), operand.type)->value);
        packCodes(codes, bitWidth(operand.type), 0, bits);
        return bits;
    }
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
        storedBits.resize(indexElements / 8 + 1);
        Positions positions;
        for (std::uint64_t at = 0; at < indexElements; at += kBlockElements) {
            const auto some = std::span(positions).first(
                std::min<std::uint64_t>(kBlockElements, indexElements - at));
            payload.order->positions(at, some);
            for (std::size_t i = 0; i < some.size(); ++i) {
                const unsigned bit = some[i] != ElementOrder::kAbsent ? 1U : 0U;
                storedBits[(at + i) / 8] |= static_cast<std::byte>(bit << (at + i) % 8);
            }
        }
        storedIndex.emplace(storedBits, indexElements);
    });
    return *storedIndex;
}

std::uint64_t Decoder::State::codebookAt(std::uint64_t dense) const
{
    if (payload.order)
        return payload.order->tables() > 1 ? payload.order->table(dense) : 0;
    return palette->grid.cellOf(dense);
}

void Decoder::State::orderedCodes(std::uint64_t first, std::span<std::int64_t> out) const
{
    Positions positions;
    for (std::size_t at = 0; at < out.size(); at += kBlockElements) {
        const auto some = out.subspan(at, std::min(kBlockElements, out.size() - at));
        payload.order->positions(first + at, std::span(positions).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i)
            some[i] = positions[i] != ElementOrder::kAbsent
                          ? codeAt(payload, codeWidth(), payload.type, positions[i])
                          : Decoder::kNotStored;
    }
}

void Decoder::State::orderedFloats(std::uint64_t first, std::span<float> out) const
{
    Positions places;
    const auto positions = std::span(places).first(out.size());
    const bool vectors = palette && palette->vector > 1;
    if (!vectors)
        payload.order->positions(first, positions);
    for (std::size_t i = 0; vectors && i < out.size(); ++i)
        payload.order->positions(indexOf(first + i), positions.subspan(i, 1));
    const unsigned width = codeWidth();
    std::array<std::byte, kBlockElements * 8> packed;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t position = positions[i];
        const bool held = position != ElementOrder::kAbsent;
        if (palette && held) {
            const unsigned code =
                bitsAt(payload.bytes, position, width, payload.order->highestFirst());
            const IndexPlace place = placeOf(first + i);
            const std::uint64_t entry = codebookAt(place.index) * palette->entries + code;
            out[i] = static_cast<float>(loadValue(palette->lut.bytes, palette->lut.type,
                                                  entry * palette->vector + place.lane));
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
    for (std::size_t i = 0; !scaling->scalesGaps && i < out.size(); ++i) {
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

// fp16 numbers in an order of their own that says the places of many at once: whole tiles of them
// are read along memory and turned into rows.

bool Decoder::State::tilesHalves() const
{
    return payload.type == ElementType::Fp16 && !palette && !scaling;
}

std::uint64_t Decoder::State::tileOfHalves(std::uint64_t first, bool streamed,
                                           std::span<std::uint16_t> out) const
{
    if (const auto tile = payload.order->tileAt(first, out.size());
        tile && (tile->rows == 1 || tile->rowBits == 16)) {
        denseTile(payload.bytes, *tile, streamed, out.data());
        return tile->elements();
    }
    const auto kept = payload.order->keptAt(first, out.size());
    if (!kept || kept->lanes > kLanesForOne * kept->rows)
        return 0;
    groupedTile(payload.bytes, *kept, streamed, out.data());
    return kept->elements();
}

void Decoder::State::orderedHalves(std::uint64_t first, bool streamed,
                                   std::span<std::uint16_t> out) const
{
    const bool tiled = tilesHalves();
    while (!out.empty()) {
        std::uint64_t made = tiled ? tileOfHalves(first, streamed, out) : 0;
        if (made == 0) {
            made = std::min(kBlockElements, out.size());
            halvesByPosition(first, out.first(made));
        }
        first += made;
        out = out.subspan(made);
    }
}

void Decoder::State::orderedFloatsByHalves(std::uint64_t first, std::span<float> out) const
{
    constexpr std::size_t kAtOnce = 65536;
    std::vector<std::uint16_t> halves(std::min(out.size(), kAtOnce));
    for (std::size_t done = 0; done < out.size(); done += halves.size()) {
        const auto part = out.subspan(done, std::min(halves.size(), out.size() - done));
        orderedHalves(first + done, false, std::span(halves).first(part.size()));
        convertHalfToFloat(std::span(halves).first(part.size()), part);
    }
}

} // namespace kernscope::codec
