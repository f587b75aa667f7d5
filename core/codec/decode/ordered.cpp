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
/// Elements whose codes are unpacked at a time: they stay in the second cache.
constexpr std::size_t kTileCodes = 32768;
/// Lanes of a column are unpacked together: at most this many for each lane that is needed.
constexpr std::uint64_t kLanesForOne = 32;

/// Columns at a time where all lanes of a column are unpacked.
std::size_t columnsOfLanes(std::uint64_t lanes)
{
    constexpr std::uint64_t kUnpacked = 16384;
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(kUnpacked / lanes / 8 * 8, 8, kTileColumns));
}

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
    const auto masks = tile.mask.subspan(tile.maskBit / 8);
    // Nothing lies between the groups and the rows: long stretches, where no block is between.
    constexpr std::size_t kManyColumns = 4096;
    const bool byBlock = streamed && tile.columns % (kCacheLine / sizeof(std::uint16_t)) != 0;
    fillTile(
        {tile.rows, tile.columns}, byBlock ? kTileColumns : kManyColumns, streamed, out,
        [&](std::uint64_t column, std::size_t count) {
            groups.masks = masks.subspan(column, count);
        },
        [&](const TilePart &part) {
            groups.lines = part.lines;
            groups.at = expandGroups(groups, part.to, part.step);
        });
}

/// Masks and stored elements one after the other, without gaps.
void packedTile(std::span<const std::byte> bytes, const KeptTile &tile, bool streamed,
                std::uint16_t *out)
{
    const std::size_t stretch = columnsOfLanes(tile.lanes);
    std::vector<std::uint16_t> expanded(tile.lanes *
                                        std::min<std::uint64_t>(stretch, tile.columns));
    std::uint64_t at = tile.at;
    fillTile(
        {tile.rows, tile.columns}, stretch, streamed, out,
        [&](std::uint64_t column, std::size_t count) {
            const std::uint64_t bit = tile.maskBit + column * tile.lanes;
            const auto some = std::span(expanded).first(count * tile.lanes);
            expandHalves(tile.mask, bit, bytes.subspan(at), false, some);
            at += 2 * countBits(tile.mask, bit, some.size());
        },
        [&](const TilePart &part) {
            turnPart(std::as_bytes(std::span(expanded)).subspan(2 * (tile.lane + part.row)),
                     2 * tile.lanes, part);
        });
}

/// Whether a tile's codes of `width` bits are read at once: those of a column side by side, and the
/// columns a whole number of codes apart.
bool readable(const OrderTile &tile, unsigned width)
{
    const bool rows = tile.rows == 1 || tile.rowBits == width;
    const bool columns = tile.columns == 1 || (tile.columnBits % width == 0 && tile.columnBits > 0);
    return rows && columns && tile.columnBits / width <= kLanesForOne * tile.rows;
}

/// Codes of a tile, row after row; false where they cannot be read so.
bool tileCodes(std::span<const std::byte> bytes, const OrderTile &tile, unsigned width,
               std::uint8_t *out)
{
    const std::uint64_t lanes = std::max<std::uint64_t>(tile.columnBits / width, tile.rows);
    if (width == 8) {
        for (std::uint64_t row = 0; row < tile.rows; row += kTileRows)
            turnBytes(bytes.subspan(tile.bit / 8 + row), tile.columnBits / 8,
                      std::min<std::uint64_t>(kTileRows, tile.rows - row), tile.columns,
                      out + row * tile.columns, tile.columns);
        return true;
    }
    // The first byte from which on codes of that width reach the tile's first one.
    std::uint64_t byte = tile.bit / 8;
    for (unsigned back = 0; back < width && (tile.bit - 8 * byte) % width != 0; ++back, --byte) {
        if (byte == 0)
            return false;
    }
    if ((tile.bit - 8 * byte) % width != 0)
        return false;
    const auto in = bytes.subspan(byte);
    const std::uint64_t first = (tile.bit - 8 * byte) / width;
    if (tile.rows == 1 && tile.columnBits == width) {
        unpackCodes(in, width, first, std::span(out, tile.columns));
        return true;
    }
    const std::size_t stretch = columnsOfLanes(lanes);
    std::vector<std::uint8_t> unpacked(lanes * std::min<std::uint64_t>(stretch, tile.columns));
    for (std::uint64_t column = 0; column < tile.columns; column += stretch) {
        const std::size_t count = std::min<std::uint64_t>(stretch, tile.columns - column);
        const auto some = std::span(unpacked).first((count - 1) * lanes + tile.rows);
        unpackCodes(in, width, first + column * lanes, some);
        turnBytes(std::as_bytes(some), lanes, tile.rows, count, out + column, tile.columns);
    }
    return true;
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
            const std::uint64_t entry = payload.order->table(place.index) * palette->entries + code;
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

// Operands in an order of their own that says the places of many elements at once: whole tiles of
// them are read along memory and turned into rows.

bool Decoder::State::tilesHalves() const
{
    if (tiles == nullptr)
        return false;
    if (!palette && !scaling && payload.type == ElementType::Fp16)
        return true;
    if (codeWidth() > 8 || codeWidth() == 0 || payload.order->highestFirst())
        return false;
    return scaling ? byteCodes() && halfResult() && !skipsZeros()
                   : palette && palette->entries == std::uint64_t{1} << palette->width;
}

std::optional<OrderTile> Decoder::State::codesAt(std::uint64_t first, std::uint64_t count,
                                                 std::vector<std::uint8_t> &codes) const
{
    const unsigned width = codeWidth();
    if (tiles == nullptr || width > 8 || width == 0 || payload.order->highestFirst())
        return std::nullopt;
    const auto tile = tiles->tileAt(first, std::min<std::uint64_t>(count, kTileCodes));
    if (!tile || !readable(*tile, width))
        return std::nullopt;
    codes.resize(tile->elements());
    if (!tileCodes(payload.bytes, *tile, width, codes.data()))
        return std::nullopt;
    return tile;
}

std::uint64_t Decoder::State::tileOfHalves(std::uint64_t first, bool streamed,
                                           std::span<std::uint16_t> out) const
{
    if (const auto tile = tiles->tileAt(first, out.size());
        tile && (tile->rows == 1 || tile->rowBits == 16)) {
        denseTile(payload.bytes, *tile, streamed, out.data());
        return tile->elements();
    }
    const auto kept = tiles->keptAt(first, out.size());
    if (!kept || kept->lanes > kLanesForOne * kept->rows)
        return 0;
    if (kept->columnMaskBits == kept->lanes && kept->gap == 0)
        packedTile(payload.bytes, *kept, streamed, out.data());
    else if (kept->columnMaskBits == 8 && kept->maskBit % 8 == 0)
        groupedTile(payload.bytes, *kept, streamed, out.data());
    else
        return 0;
    return kept->elements();
}

std::uint64_t Decoder::State::tileOfEntries(std::uint64_t first, bool streamed,
                                            std::span<std::uint16_t> out) const
{
    std::vector<std::uint8_t> codes;
    const auto tile = codesAt(first, out.size(), codes);
    if (!tile)
        return 0;
    alignas(kCacheLine) std::array<std::uint16_t, 4 * kBlockElements> block;
    for (std::uint64_t row = 0; row < tile->rows; ++row) {
        const std::uint64_t book = payload.order->table(first + row * tile->columns);
        const auto table = palette->halfTable(book, 0);
        const auto some = std::span(codes).subspan(row * tile->columns, tile->columns);
        const auto to = out.subspan(row * tile->columns, tile->columns);
        for (std::size_t at = 0; at < some.size(); at += block.size()) {
            const std::size_t count = std::min(block.size(), some.size() - at);
            const auto entries = streamed ? std::span(block).first(count) : to.subspan(at, count);
            lookupCodes(some.subspan(at, count), palette->width, table, entries);
            if (streamed)
                streamCopy(std::as_bytes(entries), reinterpret_cast<std::byte *>(to.data() + at));
        }
    }
    return tile->elements();
}

std::uint64_t Decoder::State::tileOfScaled(std::uint64_t first, std::span<std::uint16_t> out) const
{
    std::vector<std::uint8_t> codes;
    const auto tile = codesAt(first, out.size(), codes);
    if (!tile)
        return 0;
    if (payload.type == ElementType::Int4) {
        for (std::uint8_t &code : codes)
            code = static_cast<std::uint8_t>(signExtendNibble(code));
    }
    scaleCodes(first, codes, out.first(tile->elements()));
    return tile->elements();
}

void Decoder::State::orderedHalves(std::uint64_t first, bool streamed,
                                   std::span<std::uint16_t> out) const
{
    const bool tiled = tilesHalves();
    while (!out.empty()) {
        std::uint64_t made = 0;
        if (tiled)
            made = scaling   ? tileOfScaled(first, out)
                   : palette ? tileOfEntries(first, streamed, out)
                             : tileOfHalves(first, streamed, out);
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
    std::vector<std::uint16_t> halves(std::min<std::size_t>(out.size(), 2 * kTileCodes));
    for (std::size_t done = 0; done < out.size(); done += halves.size()) {
        const auto part = out.subspan(done, std::min(halves.size(), out.size() - done));
        orderedHalves(first + done, false, std::span(halves).first(part.size()));
        convertHalfToFloat(std::span(halves).first(part.size()), part);
    }
}

} // namespace kernscope::codec
