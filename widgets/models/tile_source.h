// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"

#include <QImage>
#include <QString>

#include <memory>
#include <span>
#include <vector>

namespace kernscope::ui {

/// Side of a tile in pixels of its image. At level 0 a pixel is one cell.
inline constexpr int kTileSide = 256;

/// Which piece of a picture: pixel (x, y) of the tile stands for the cells
/// [(row * 256 + y) << rowLevel, …) by [(col * 256 + x) << colLevel, …).
struct TileKey {
    int level = 0;
    std::uint64_t row = 0, col = 0;
    /// Levels more in one of the two directions: for cells that are much wider than high, or higher
    /// than wide.
    int across = 0, down = 0;

    int rowLevel() const { return level + down; }
    int colLevel() const { return level + across; }
    std::uint64_t firstRow() const { return (row * kTileSide) << rowLevel(); }
    std::uint64_t firstCol() const { return (col * kTileSide) << colLevel(); }
    friend bool operator==(const TileKey &, const TileKey &) = default;
};
inline std::size_t qHash(const TileKey &key, std::size_t seed = 0)
{
    const std::uint64_t mixed = key.row * 0x9E3779B97F4A7C15u + key.col * 0xC2B2AE3D27D4EB4Fu;
    const auto levels = static_cast<unsigned>(key.level + 64 * key.across + 1024 * key.down);
    return static_cast<std::size_t>((mixed ^ (mixed >> 29)) + levels) ^ seed;
}

/// A line of a tile's picture (32 bits a pixel), to write.
inline QRgb *lineOf(QImage &image, int y)
{
    return reinterpret_cast<QRgb *>(image.scanLine(y));
}

/// Pixels of a picture.
inline std::size_t sizeOf(QSize size)
{
    return static_cast<std::size_t>(size.width()) * static_cast<std::size_t>(size.height());
}

/// Shape drawn in a cell that is big enough, so that colour never stands alone.
enum class CellShape : std::uint8_t {
    Fill,   ///< nothing but the colour
    Dot,    ///< '·': left out
    Square, ///< kept
    Up,
    Down,  ///< triangles: one side of a comparison only
    Cross, ///< ✕: not a number
};

struct CellMark {
    CellShape shape = CellShape::Fill;
    bool changed = false; ///< differs from the disk: outlined
};

/// What a source makes of one tile. `values` and `marks` belong to level 0, row-major with the
/// image's width, and may be empty.
struct Tile {
    QImage image;
    std::vector<float> values;
    std::vector<CellMark> marks;

    qsizetype bytes() const
    {
        return image.sizeInBytes() + static_cast<qsizetype>(values.size() * sizeof(float)) +
               static_cast<qsizetype>(marks.size() * sizeof(CellMark)) + 256;
    }
};

/// A picture of rows x cols cells (their product up to 2^40), asked for by the tile. Immutable and
/// shared with worker threads; a change of bytes, colours or slice makes a new source.
class TileSource
{
public:
    virtual ~TileSource() = default;
    virtual std::uint64_t rows() const = 0;
    virtual std::uint64_t cols() const = 0;

    /// Draws one tile with as many levels down as across, on any thread. The work is bounded
    /// whatever the level: far out from a sample. The image is tileSize(key). A null image where it
    /// was cancelled or failed.
    virtual Tile render(const TileKey &key, Progress &progress) const = 0;
    /// Draws any tile: those with more levels in one direction from finer ones, by merged().
    Tile draw(const TileKey &key, Progress &progress) const;
    /// One pixel for several neighbours: their mean, unless the picture says what matters more.
    virtual QRgb merged(std::span<const QRgb> pixels) const;

    /// Text of a cell at level 0, `index` into the tile's values; empty: no text.
    virtual QString cellText(const Tile &tile, std::size_t index) const;

    /// Pixels of that tile's image: 256 x 256, less at the right and lower edge.
    QSize tileSize(const TileKey &key) const;
    /// Coarsest level of use: the whole picture in one tile.
    int maxLevel() const;

private:
    void mergeAcross(const QImage &from, QImage &to, int at, std::size_t count) const;
    void mergeDown(const QImage &from, QImage &to, int at, std::size_t count) const;
};
using TileSourcePtr = std::shared_ptr<const TileSource>;

} // namespace kernscope::ui
