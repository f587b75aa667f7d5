// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/tile_loader.h"
#include "widgets/common/tile_view.h"

#include <QRect>
#include <QWidget>

#include <optional>

class QPainter;

namespace kernscope::ui {

/// Draws what a TileView shows and finds out which tiles that needs.
class TilePainter
{
public:
    TilePainter(const TileLoader &loader, const ViewGeometry &geometry, const QWidget &widget);

    /// Tiles that the viewport needs, nearest to its centre first; at most a few hundred.
    std::vector<TileKey> visibleTiles() const;
    /// Those of `missing` with, in front, coarser ones that show much of the view at once where
    /// nothing stands in for many of them.
    std::vector<TileKey> coarseFirst(std::vector<TileKey> missing) const;
    void paint(QPainter &painter, std::optional<Cell> current, std::optional<Cell> hovered,
               bool focused) const;

private:
    QRectF tileRect(const TileKey &key) const;
    QRectF cellRect(std::uint64_t row, std::uint64_t col) const;
    void paintTile(QPainter &painter, const TileKey &key) const;
    std::optional<TileKey> standIn(const TileKey &key) const;
    bool paintCoarser(QPainter &painter, const TileKey &key, const QRectF &target) const;
    void paintFiner(QPainter &painter, const TileKey &key) const;
    void paintCells(QPainter &painter, const TileKey &key, const Tile &tile) const;
    void paintShape(QPainter &painter, const QRectF &cell, CellMark mark, QRgb ground) const;
    void paintGrid(QPainter &painter) const;
    void paintFrame(QPainter &painter, const Cell &cell, bool strong) const;

    const TileLoader &m_loader;
    const ViewGeometry &m_geometry;
    const QWidget &m_widget;
    QRect m_area;
    bool m_dark;
};

} // namespace kernscope::ui
