// SPDX-License-Identifier: GPL-3.0-or-later
// Operands in an order of their own that says the places of many elements at once: whole tiles of
// them are read along memory and turned into rows.
#include "core/codec/decode/decoder_state.h"
#include "core/codec/kernels/group_kernels.h"
#include "core/codec/kernels/palette_kernels.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"
#include "core/numeric/stream_copy.h"
#include "core/numeric/transpose.h"

#include <algorithm>
#include <array>
#include <vector>

namespace kernscope::codec {

namespace {

/// Columns and rows that are turned at a time: their bytes stay in the first cache.
constexpr std::size_t kTileColumns = 256;
constexpr std::size_t kTileRows = 16;
/// Elements whose codes are unpacked at a time: they stay in the second cache.
constexpr std::size_t kTileCodes = 32768;
/// Lanes of a column are unpacked together, wanted or not: at most so many for each that is.
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
