// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/tile_source.h"

#include <QCache>

#include <functional>
#include <mutex>

namespace kernscope::ui {

/// What the cells of a box add up to: everything that a pixel far out is drawn from, whatever the
/// colours.
struct Box {
    float squares = 0, sum = 0;  ///< of the finite cells
    std::uint32_t count = 0;     ///< of all cells
    std::uint32_t notFinite = 0; ///< cells that are infinite or not a number

    static Box of(float cell);
    friend bool operator==(const Box &, const Box &) = default;
};
/// Four boxes of a square as one: (upper left + upper right) + (lower left + lower right), in this
/// order, so that a box is the same number whichever way it came.
Box combined(const Box &upperLeft, const Box &upperRight, const Box &lowerLeft,
             const Box &lowerRight);
using CombineFour = Box (*)(const Box &, const Box &, const Box &, const Box &);
/// `rows` x `cols` boxes (row-major) of one level become those of the next, in place; an odd last
/// row or column stays alone.
void combineBoxes(std::vector<Box> &boxes, std::size_t rows, std::size_t cols,
                  CombineFour combine = &combined);

/// Boxes of one tile, row-major with the width of its picture.
struct BoxTile {
    QSize size;
    std::vector<Box> boxes;

    qsizetype bytes() const { return static_cast<qsizetype>(boxes.size() * sizeof(Box)) + 256; }
};
using BoxTilePtr = std::shared_ptr<const BoxTile>;

/// Coarse tiles that are kept for all views, bounded in bytes: what was used longest ago goes
/// first. For use from any thread.
class BoxStore
{
public:
    static constexpr qsizetype kBytes = qsizetype{48} << 20;
    explicit BoxStore(qsizetype bytes = kBytes) : m_tiles(bytes) {}

    struct Key {
        std::uint64_t picture = 0;
        TileKey tile;
        friend bool operator==(const Key &, const Key &) = default;
    };
    BoxTilePtr find(const Key &key) const;
    void insert(const Key &key, BoxTilePtr tile);
    qsizetype bytes() const;
    qsizetype limit() const { return m_tiles.maxCost(); }

private:
    mutable std::mutex m_mutex;
    mutable QCache<Key, BoxTilePtr> m_tiles;
};
inline std::size_t qHash(const BoxStore::Key &key, std::size_t seed = 0)
{
    return qHash(key.tile, seed) ^ static_cast<std::size_t>(key.picture * 0x9E3779B97F4A7C15u);
}

/// The coarse tiles of one picture. Without a store each is made anew.
struct PicturePyramid {
    std::shared_ptr<BoxStore> store;
    std::uint64_t picture = 0;
    /// For pictures whose boxes are something else than what their cells add up to.
    CombineFour combine = &combined;

    /// Levels up to this one read every cell; a tile of them that has its four finer ones in the
    /// store is put together from them, which gives the same boxes. Beyond it a box is a sample of
    /// its cells, which finer tiles cannot give: those are read.
    static constexpr int kExactLevel = 3;
    using Read = std::function<BoxTilePtr(const TileKey &)>;
    /// The tile from the store, from finer ones, or by `read`; null where that was cancelled.
    BoxTilePtr tile(const TileSource &source, const TileKey &key, const Read &read) const;

private:
    BoxTilePtr fromFiner(const TileSource &source, const TileKey &key) const;
};

/// Cells that stand for the box of a tile pixel: all of them where they are few, else a sample
/// that does not follow any period of the data.
class BoxSampler
{
public:
    static constexpr std::uint64_t kMaxRows = 8, kMaxRun = 8;
    BoxSampler(const TileKey &key, std::uint64_t rows, std::uint64_t cols);

    std::uint64_t rowsPerBox() const { return m_rowsPerBox; }
    std::uint64_t run() const { return m_run; }      ///< cells side by side in each row
    std::uint64_t row(int y, std::uint64_t k) const; ///< may be past the last row
    /// First column of the run of box (x, y), row k; the run may be cut at the end.
    std::uint64_t col(int x, int y, std::uint64_t k) const;
    bool exact() const { return m_exact; }

private:
    TileKey m_key;
    std::uint64_t m_rows, m_cols, m_side, m_rowsPerBox, m_run;
    bool m_exact;
};

} // namespace kernscope::ui
