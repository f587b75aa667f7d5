// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tile_source.h"

#include <algorithm>

namespace kernscope::ui {

QString TileSource::cellText(const Tile &tile, std::size_t index) const
{
    if (index >= tile.values.size())
        return {};
    return QString::number(static_cast<double>(tile.values[index]), 'g', 4);
}

QSize TileSource::tileSize(const TileKey &key) const
{
    const auto pixels = [](std::uint64_t first, std::uint64_t end, int level) {
        if (first >= end)
            return 0;
        const std::uint64_t cells = end - first;
        const std::uint64_t whole = ((cells - 1) >> level) + 1;
        return static_cast<int>(std::min<std::uint64_t>(whole, kTileSide));
    };
    return {pixels(key.firstCol(), cols(), key.colLevel()),
            pixels(key.firstRow(), rows(), key.rowLevel())};
}

QRgb TileSource::merged(std::span<const QRgb> pixels) const
{
    std::uint64_t alpha = 0, red = 0, green = 0, blue = 0;
    for (const QRgb pixel : pixels) { // premultiplied
        alpha += static_cast<std::uint64_t>(qAlpha(pixel));
        red += static_cast<std::uint64_t>(qRed(pixel));
        green += static_cast<std::uint64_t>(qGreen(pixel));
        blue += static_cast<std::uint64_t>(qBlue(pixel));
    }
    const auto mean = [&](std::uint64_t sum) {
        return pixels.empty() ? 0 : static_cast<int>((sum + pixels.size() / 2) / pixels.size());
    };
    return qRgba(mean(red), mean(green), mean(blue), mean(alpha));
}

Tile TileSource::draw(const TileKey &key, Progress &progress) const
{
    const int more = key.across + key.down; // one of the two is 0
    if (more == 0)
        return render(key, progress);
    Tile tile{QImage(tileSize(key), QImage::Format_ARGB32_Premultiplied), {}, {}};
    const std::uint64_t pieces = std::uint64_t{1} << more;
    const auto side = static_cast<std::uint64_t>(kTileSide) >> more; // of a piece, in pixels
    for (std::uint64_t i = 0; i < pieces; ++i) {
        TileKey finer{key.level, key.row, key.col};
        (key.across > 0 ? finer.col : finer.row) *= pieces;
        (key.across > 0 ? finer.col : finer.row) += i;
        if (finer.firstRow() >= rows() || finer.firstCol() >= cols())
            break;
        const Tile piece = render(finer, progress);
        if (piece.image.isNull())
            return {};
        const auto at = static_cast<int>(i * side);
        if (key.across > 0)
            mergeAcross(piece.image, tile.image, at, pieces);
        else
            mergeDown(piece.image, tile.image, at, pieces);
    }
    return tile;
}

/// Each `count` pixels of a line become one of `to`, from column `at` on.
void TileSource::mergeAcross(const QImage &from, QImage &to, int at, std::size_t count) const
{
    for (int y = 0; y < std::min(from.height(), to.height()); ++y) {
        const std::span line(reinterpret_cast<const QRgb *>(from.constScanLine(y)),
                             static_cast<std::size_t>(from.width()));
        QRgb *merge = lineOf(to, y) + at;
        for (std::size_t x = 0; x < line.size(); x += count)
            *merge++ = merged(line.subspan(x, std::min(count, line.size() - x)));
    }
}

/// Each `count` lines become one of `to`, from line `at` on.
void TileSource::mergeDown(const QImage &from, QImage &to, int at, std::size_t count) const
{
    std::vector<QRgb> column;
    for (int first = 0; first < from.height(); first += static_cast<int>(count), ++at) {
        const int end = std::min(from.height(), first + static_cast<int>(count));
        QRgb *merge = lineOf(to, at);
        for (int x = 0; x < from.width(); ++x) {
            column.clear();
            for (int y = first; y < end; ++y)
                column.push_back(reinterpret_cast<const QRgb *>(from.constScanLine(y))[x]);
            merge[x] = merged(column);
        }
    }
}

int TileSource::maxLevel() const
{
    const std::uint64_t longest = std::max(rows(), cols());
    int level = 0;
    while ((longest >> level) > kTileSide)
        ++level;
    return level;
}

} // namespace kernscope::ui
