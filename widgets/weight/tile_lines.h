// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/box_pyramid.h"

#include <optional>

/// How tiles of decoded weights are made: cell by cell at level 0, box by box farther out.

namespace kernscope::ui {

/// A line of a tile at level 0, to be filled. `values` is empty where the tile has none.
struct CellLine {
    std::span<QRgb> pixels;
    std::span<CellMark> marks;
    std::span<float> values;
};

/// A tile of level 0 by `fill(row, line)`; empty where it was cancelled.
template <class Fill>
Tile cellsBy(const TileSource &source, const TileKey &key, Progress &progress, bool values,
             Fill fill)
{
    const QSize size = source.tileSize(key);
    const auto width = static_cast<std::size_t>(size.width());
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied),
              std::vector<float>(values ? sizeOf(size) : 0), std::vector<CellMark>(sizeOf(size))};
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return {};
        const std::size_t first = static_cast<std::size_t>(y) * width;
        fill(key.firstRow() + static_cast<std::uint64_t>(y),
             CellLine{{lineOf(tile.image, y), width},
                      std::span(tile.marks).subspan(first, width),
                      values ? std::span(tile.values).subspan(first, width) : std::span<float>()});
    }
    return tile;
}

/// Boxes of a tile from all of their cells where those are few, else from a sample. `read(row, col,
/// out)` reads cells, `add(box, cell)` takes one in. Nothing where it was cancelled.
template <class T, class B, class Read, class Add>
std::optional<std::vector<B>> boxesFrom(const TileSource &source, const TileKey &key,
                                        Progress &progress, Read read, Add add)
{
    const BoxSampler sampler(key, source.rows(), source.cols());
    const QSize size = source.tileSize(key);
    const auto width = static_cast<std::size_t>(size.width());
    std::vector<B> boxes(sizeOf(size));
    std::vector<T> cells;
    const auto take = [&](B *first, std::uint64_t row, std::uint64_t col, std::uint64_t count,
                          int cellsOfBox) {
        cells.resize(count);
        read(row, col, std::span(cells));
        for (std::size_t i = 0; i < count; ++i)
            add(first[i >> cellsOfBox], cells[i]);
    };
    for (int y = 0; y < size.height(); ++y) {
        if (!progress.advance(1))
            return std::nullopt;
        B *line = boxes.data() + static_cast<std::size_t>(y) * width;
        for (std::uint64_t k = 0; k < sampler.rowsPerBox(); ++k) {
            const std::uint64_t row = sampler.row(y, k);
            if (row >= source.rows())
                break;
            if (sampler.exact()) {
                take(line, row, key.firstCol(),
                     std::min(std::uint64_t{width} << key.level, source.cols() - key.firstCol()),
                     key.level);
                continue;
            }
            for (std::size_t x = 0; x < width; ++x) {
                const std::uint64_t col = sampler.col(static_cast<int>(x), y, k);
                take(line + x, row, col, std::min(sampler.run(), source.cols() - col), 32);
            }
        }
    }
    return boxes;
}

/// The picture of boxes, each of the colour that `color(box)` gives; empty where there are none.
template <class B, class Color>
Tile paintedBoxes(QSize size, std::span<const B> boxes, Color color)
{
    if (boxes.empty())
        return {};
    Tile tile{QImage(size, QImage::Format_ARGB32_Premultiplied), {}, {}};
    const auto width = static_cast<std::size_t>(size.width());
    for (int y = 0; y < size.height(); ++y) {
        QRgb *line = lineOf(tile.image, y);
        for (std::size_t x = 0; x < width; ++x)
            line[x] = color(boxes[static_cast<std::size_t>(y) * width + x]);
    }
    return tile;
}

} // namespace kernscope::ui
