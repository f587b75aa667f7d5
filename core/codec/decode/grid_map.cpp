// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/grid_map.h"

namespace kernscope::codec {

GridMap::GridMap(std::span<const std::uint64_t> shape, std::span<const std::uint64_t> grid)
{
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const Axis axis{shape[i], grid[i], shape[i] / grid[i]};
        if (m_axes.empty()) {
            m_axes.push_back(axis);
            continue;
        }
        Axis &last = m_axes.back();
        if (axis.cells == 1) {
            // The whole of this axis lies in one cell: blocks get longer.
            last.block *= axis.extent;
        } else if (last.block == 1) {
            // Cells of the two axes follow each other without a gap.
            last.cells *= axis.cells;
            last.block = axis.block;
        } else {
            m_axes.push_back(axis);
            continue;
        }
        last.extent *= axis.extent;
    }
    if (m_axes.empty())
        m_axes.push_back({});
}

std::uint64_t GridMap::cellOf(std::uint64_t position) const
{
    std::uint64_t cell = 0;
    std::uint64_t stride = 1;
    for (auto axis = m_axes.rbegin(); axis != m_axes.rend(); ++axis) {
        cell += position % axis->extent / axis->block * stride;
        position /= axis->extent;
        stride *= axis->cells;
    }
    return cell;
}

GridWalker::GridWalker(const GridMap &map, std::uint64_t position) : m_map(&map)
{
    seek(position);
}

void GridWalker::seek(std::uint64_t position)
{
    const GridMap::Axis &row = m_map->m_axes.back();
    const std::uint64_t inRow = position % row.extent;
    m_position = position;
    m_cell = m_map->cellOf(position);
    m_cellLeft = row.block - inRow % row.block;
    m_rowLeft = row.extent - inRow;
}

void GridWalker::advance(std::uint64_t count)
{
    m_position += count;
    if (count == m_rowLeft) {
        seek(m_position);
        return;
    }
    m_rowLeft -= count;
    if (count < m_cellLeft) {
        m_cellLeft -= count;
        return;
    }
    const std::uint64_t rest = count - m_cellLeft;
    const std::uint64_t length = block();
    m_cell += 1 + rest / length;
    m_cellLeft = length - rest % length;
}

} // namespace kernscope::codec
