// SPDX-License-Identifier: GPL-3.0-or-later
// Operands in an order of their own that says the places of many elements at once: whole tiles of
// them are read along memory and turned into rows.
#include "core/codec/decode/decoder_state.h"
#include "core/codec/kernels/group_kernels.h"
#include "core/codec/kernels/palette_kernels.h"
#include "core/codec/kernels/sparse_kernels.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/stream_copy.h"
#include "core/numeric/transpose.h"

#include <algorithm>
#include <array>

#include <hwy/cache_control.h>

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
std::size_t columnsOf(std::uint64_t lanes)
{
    constexpr std::uint64_t kUnpacked = 16384;
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(kUnpacked / lanes / 8 * 8, 8, kTileColumns));
}

/// Has bytes brought into the caches.
void fetch(std::span<const std::byte> bytes)
{
    for (std::size_t at = 0; at < bytes.size(); at += kCacheLine)
        hwy::Prefetch(bytes.data() + at);
}

/// Fills the rows of a tile part by part. For each stretch of columns, prepare(column, count),
/// which gives the bytes that the next stretch reads, then make(column, row, rows, count, to, step)
/// for its rows: the first element of each next row goes `step` further.
template <class Prepare, class Make>
void fillTile(std::uint64_t rows, std::uint64_t columns, std::size_t stretch, bool streamed,
              std::uint16_t *out, Prepare prepare, Make make)
{
    alignas(kCacheLine) std::array<std::uint16_t, kTileRows * kTileColumns> block;
    for (std::uint64_t column = 0; column < columns; column += stretch) {
        const std::size_t count = std::min<std::uint64_t>(stretch, columns - column);
        const std::span<const std::byte> ahead = prepare(column, count);
        for (std::uint64_t row = 0; row < rows; row += kTileRows) {
            const std::size_t some = std::min<std::uint64_t>(kTileRows, rows - row);
            std::uint16_t *to = out + row * columns + column;
            if (!streamed) {
                make(column, row, some, count, to, columns);
                continue;
            }
            make(column, row, some, count, block.data(), count);
            const auto made = std::as_bytes(std::span(block).first(some * count));
            if (count == columns) { // whole rows lie one after the other
                streamCopy(made, reinterpret_cast<std::byte *>(to));
                continue;
            }
            // Memory is read while it is written: else the one would wait for the other.
            const std::size_t share = ahead.size() / rows / kCacheLine * kCacheLine;
            for (std::size_t i = 0; i < some; ++i) {
                fetch(ahead.subspan((row + i) * share, share));
                streamCopy(made.subspan(2 * i * count, 2 * count),
                           reinterpret_cast<std::byte *>(to + i * columns));
            }
        }
    }
}

void denseTile(std::span<const std::byte> bytes, const OrderTile &tile, bool streamed,
               std::uint16_t *out)
{
    const auto in = bytes.subspan(tile.bit / 8);
    const std::size_t columnBytes = tile.columnBits / 8;
    fillTile(
        tile.rows, tile.columns, kTileColumns, streamed, out,
        [&](std::uint64_t column, std::size_t count) {
            const auto behind = in.subspan(std::min((column + count) * columnBytes, in.size()));
            return behind.first(std::min(count * columnBytes, behind.size()));
        },
        [&](std::uint64_t column, std::uint64_t row, std::size_t rows, std::size_t count,
            std::uint16_t *to, std::size_t step) {
            turnHalves(in.subspan(column * columnBytes + 2 * row), columnBytes, rows, count, to,
                       step);
        });
}

/// A mask byte for each column.
void groupedTile(std::span<const std::byte> bytes, const KeptTile &tile, bool streamed,
                 std::uint16_t *out)
{
    KeptGroups groups{bytes,
                      tile.at,
                      tile.gap,
                      {},
                      static_cast<unsigned>(tile.lane),
                      static_cast<unsigned>(tile.rows)};
    const auto masks = tile.mask.subspan(tile.maskBit / 8);
    fillTile(
        tile.rows, tile.columns, kTileColumns, streamed, out,
        [&](std::uint64_t column, std::size_t count) {
            groups.masks = masks.subspan(column, count);
            const std::size_t span = count * tile.gap + 2 * countBits(groups.masks, 0, 8 * count);
            const auto behind = bytes.subspan(std::min(groups.at + span, bytes.size()));
            return behind.first(std::min(span, behind.size()));
        },
        [&](std::uint64_t, std::uint64_t, std::size_t, std::size_t, std::uint16_t *to,
            std::size_t step) { groups.at = expandGroups(groups, to, step); });
}

/// Masks and stored elements one after the other, without gaps.
void packedTile(std::span<const std::byte> bytes, const KeptTile &tile, bool streamed,
                std::uint16_t *out)
{
    const std::size_t stretch = columnsOf(tile.lanes);
    std::vector<std::uint16_t> expanded(tile.lanes *
                                        std::min<std::uint64_t>(stretch, tile.columns));
    std::uint64_t at = tile.at;
    fillTile(
        tile.rows, tile.columns, stretch, streamed, out,
        [&](std::uint64_t column, std::size_t count) {
            const std::uint64_t bit = tile.maskBit + column * tile.lanes;
            const auto some = std::span(expanded).first(count * tile.lanes);
            expandHalves(tile.mask, bit, bytes.subspan(at), false, some);
            at += 2 * countBits(tile.mask, bit, some.size());
            return std::span<const std::byte>(); // read while they were expanded
        },
        [&](std::uint64_t, std::uint64_t row, std::size_t rows, std::size_t count,
            std::uint16_t *to, std::size_t step) {
            turnHalves(std::as_bytes(std::span(expanded)).subspan(2 * (tile.lane + row)),
                       2 * tile.lanes, rows, count, to, step);
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
    const std::size_t stretch = columnsOf(lanes);
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
    return scaling ? byteCodes() && halfResult() && !scaling->addsOffset && !skipsZeros()
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
