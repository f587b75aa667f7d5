// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/box_pyramid.h"

#include "widgets/common/qt.h"

namespace kernscope::ui {

namespace {

/// Cells beyond this count as it: their squares fit a float. Such a box has the full colour.
constexpr float kMostFinite = 1e15f;

Box added(const Box &a, const Box &b)
{
    return {a.squares + b.squares, a.sum + b.sum, a.count + b.count, a.notFinite + b.notFinite};
}

} // namespace

Box Box::of(float cell)
{
    if (!std::isfinite(cell))
        return {0, 0, 1, 1};
    const float value = std::clamp(cell, -kMostFinite, kMostFinite);
    return {value * value, value, 1, 0};
}

Box combined(const Box &upperLeft, const Box &upperRight, const Box &lowerLeft,
             const Box &lowerRight)
{
    return added(added(upperLeft, upperRight), added(lowerLeft, lowerRight));
}

void combineBoxes(std::vector<Box> &boxes, std::size_t rows, std::size_t cols, CombineFour combine)
{
    const std::size_t newCols = (cols + 1) / 2, newRows = (rows + 1) / 2;
    for (std::size_t y = 0; y < newRows; ++y) {
        const Box *upper = boxes.data() + 2 * y * cols;
        const Box *lower = 2 * y + 1 < rows ? upper + cols : nullptr;
        for (std::size_t x = 0; x < newCols; ++x) {
            const bool two = 2 * x + 1 < cols;
            // Written behind what is still to be read.
            boxes[y * newCols + x] =
                combine(upper[2 * x], two ? upper[2 * x + 1] : Box{}, lower ? lower[2 * x] : Box{},
                        lower && two ? lower[2 * x + 1] : Box{});
        }
    }
    boxes.resize(newRows * newCols);
}

BoxTilePtr BoxStore::find(const Key &key) const
{
    const std::lock_guard guard(m_mutex);
    const BoxTilePtr *tile = m_tiles.object(key);
    return tile ? *tile : nullptr;
}

void BoxStore::insert(const Key &key, BoxTilePtr tile)
{
    const qsizetype cost = tile->bytes();
    const std::lock_guard guard(m_mutex);
    m_tiles.insert(key, new BoxTilePtr(std::move(tile)), cost);
}

qsizetype BoxStore::bytes() const
{
    const std::lock_guard guard(m_mutex);
    return m_tiles.totalCost();
}

BoxTilePtr PicturePyramid::tile(const TileSource &source, const TileKey &key,
                                const Read &read) const
{
    if (!store)
        return read(key);
    if (BoxTilePtr kept = store->find({picture, key}))
        return kept;
    BoxTilePtr made = fromFiner(source, key);
    if (!made)
        made = read(key);
    if (made)
        store->insert({picture, key}, made);
    return made;
}

BoxTilePtr PicturePyramid::fromFiner(const TileSource &source, const TileKey &key) const
{
    if (key.level < 2 || key.level > kExactLevel)
        return nullptr;
    std::array<BoxTilePtr, 4> finer;
    QSize whole(0, 0); // of the four together, in pixels of the finer level
    for (std::uint64_t i = 0; i < finer.size(); ++i) {
        const TileKey child{key.level - 1, 2 * key.row + i / 2, 2 * key.col + i % 2};
        const QSize size = source.tileSize(child);
        if (size.isEmpty())
            continue; // past the edge
        finer[i] = store->find({picture, child});
        if (!finer[i])
            return nullptr;
        if (i % 2 == 0 && i / 2 == 0)
            whole = size;
        else if (i == 1)
            whole.rwidth() += size.width();
        else if (i == 2)
            whole.rheight() += size.height();
    }
    const auto cols = static_cast<std::size_t>(whole.width());
    const auto rows = static_cast<std::size_t>(whole.height());
    auto made = std::make_shared<BoxTile>();
    made->size = source.tileSize(key);
    made->boxes.resize(rows * cols);
    for (std::size_t i = 0; i < finer.size(); ++i) {
        if (!finer[i])
            continue;
        const std::size_t top = i / 2 * kTileSide, left = i % 2 * kTileSide;
        const auto width = static_cast<std::ptrdiff_t>(finer[i]->size.width());
        for (std::ptrdiff_t y = 0; y < finer[i]->size.height(); ++y) {
            const auto from = finer[i]->boxes.begin() + y * width;
            std::copy(from, from + width,
                      made->boxes.begin() + static_cast<std::ptrdiff_t>(
                                                (top + static_cast<std::size_t>(y)) * cols + left));
        }
    }
    combineBoxes(made->boxes, rows, cols, combine);
    return made;
}

namespace {

/// Spreads places without a period (the finaliser of splitmix64).
std::uint64_t mixedBits(std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    std::uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xBF58476D1CE4E5B9u + c + 1;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

} // namespace

BoxSampler::BoxSampler(const TileKey &key, std::uint64_t rows, std::uint64_t cols)
    : m_key(key), m_rows(rows), m_cols(cols), m_side(std::uint64_t{1} << key.level),
      m_rowsPerBox(std::min(m_side, kMaxRows)), m_run(std::min(m_side, kMaxRun)),
      m_exact(m_side <= kMaxRows && m_side <= kMaxRun)
{
}

std::uint64_t BoxSampler::row(int y, std::uint64_t k) const
{
    const std::uint64_t first = m_key.firstRow() + static_cast<std::uint64_t>(y) * m_side;
    const std::uint64_t stratum = std::min(m_side, m_rows - std::min(first, m_rows)) / m_rowsPerBox;
    if (m_exact || stratum <= 1)
        return first + k;
    return first + k * stratum + mixedBits(first, k, 0) % stratum;
}

std::uint64_t BoxSampler::col(int x, int y, std::uint64_t k) const
{
    const std::uint64_t first = m_key.firstCol() + static_cast<std::uint64_t>(x) * m_side;
    if (m_exact)
        return first;
    const std::uint64_t width = std::min(m_side, m_cols - std::min(first, m_cols));
    if (width <= m_run)
        return first;
    return first + mixedBits(first, static_cast<std::uint64_t>(y), k) % (width - m_run + 1);
}

} // namespace kernscope::ui
