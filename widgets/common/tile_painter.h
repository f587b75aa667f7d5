// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/tile_view.h"

#include <QBasicTimer>
#include <QCache>
#include <QColor>
#include <QHash>
#include <QObject>
#include <QPointF>
#include <QRect>
#include <QSet>
#include <QWidget>

class QPainter;

namespace kernscope::ui {

/// Dark or white, whichever is read better on `ground`; dark where that is transparent.
QColor inkOn(QRgb ground);

/// Draws a shape about `centre`, with `reach` pixels to each side. `faint` is the colour of the
/// dot, which says that the element is left out. Pen and brush of the painter change.
void paintCellShape(QPainter &painter, CellShape shape, QPointF centre, double reach,
                    const QColor &ink, const QColor &faint);

/// Tiles of one source: a cache bounded in bytes, and the few tasks that fill it. Only tiles that
/// are wanted now are worked on; scrolling past a tile cancels it.
class TileLoader : public QObject
{
    Q_OBJECT

public:
    explicit TileLoader(TaskManager &tasks, QObject *parent = nullptr);
    ~TileLoader() override;

    void setSource(TileSourcePtr source);
    const TileSourcePtr &source() const { return m_source; }

    /// The tile, or null where it has not come yet. Valid until the event loop turns.
    const Tile *find(const TileKey &key) const { return m_cache.object(key); }
    /// Replaces the list of tiles to load: those on view that were not found, most important first.
    void want(std::vector<TileKey> keys);
    bool busy() const;

Q_SIGNALS:
    void tileReady();
    void tilesLost(); ///< tiles on view were cancelled with everything else; ask again

protected:
    void timerEvent(QTimerEvent *event) override;

private:
    void startNext();
    void accept(const TileKey &key, Tile tile);
    void cancelAll();
    void noticeCancelled();

    TaskManager &m_tasks;
    TileSourcePtr m_source;
    QCache<TileKey, Tile> m_cache;
    QHash<TileKey, TaskPtr> m_running;
    QSet<TileKey> m_failed; ///< asking again would fail again
    std::vector<TileKey> m_wanted;
    QBasicTimer m_retry;
};

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
