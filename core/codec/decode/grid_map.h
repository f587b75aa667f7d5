// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <algorithm>

namespace kernscope::codec {

/// Which cell of a coarse grid each element of a row-major tensor belongs to: the scale of a block,
/// the codebook of a group. Axes that can be walked as one are merged, so that the usual grids (one
/// cell an output channel, blocks along the input channels) become a single axis and a run of
/// elements needs no division.
class GridMap
{
public:
    GridMap() = default;
    /// `grid[i]` must divide `shape[i]`, with neither of them zero; ranks are equal.
    GridMap(std::span<const std::uint64_t> shape, std::span<const std::uint64_t> grid);

    /// Cell of the element at a position, row-major in the grid.
    std::uint64_t cellOf(std::uint64_t position) const;

private:
    friend class GridWalker;
    struct Axis {
        std::uint64_t extent = 1; ///< elements
        std::uint64_t cells = 1;
        std::uint64_t block = 1; ///< elements a cell
    };
    std::vector<Axis> m_axes; ///< at least one
};

/// Walks positions upwards through the cells of a grid. Rows are runs of positions along the last
/// merged axis: within a row the cells are consecutive and every one is `block()` elements long.
class GridWalker
{
public:
    GridWalker(const GridMap &map, std::uint64_t position);

    std::uint64_t cell() const { return m_cell; }
    std::uint64_t block() const { return m_map->m_axes.back().block; }
    std::uint64_t cellLeft() const { return m_cellLeft; } ///< elements left in this cell's run
    std::uint64_t rowLeft() const { return m_rowLeft; }   ///< elements left in this row

    /// Moves on by `count`, at most rowLeft().
    void advance(std::uint64_t count);

private:
    void seek(std::uint64_t position);

    const GridMap *m_map;
    std::uint64_t m_position = 0;
    std::uint64_t m_cell = 0;
    std::uint64_t m_cellLeft = 0;
    std::uint64_t m_rowLeft = 0;
};

/// Calls `each(cell, first, count)` for the runs that make up elements 0 to `count` - 1.
template <class Each>
void forEachRun(const GridMap &map, std::size_t count, Each each)
{
    GridWalker walker(map, 0);
    for (std::size_t at = 0; at < count;) {
        const auto run =
            static_cast<std::size_t>(std::min<std::uint64_t>(walker.cellLeft(), count - at));
        each(walker.cell(), at, run);
        walker.advance(run);
        at += run;
    }
}

} // namespace kernscope::codec
