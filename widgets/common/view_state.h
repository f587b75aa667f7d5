// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QSizeF>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <vector>

namespace kernscope::ui {

/// Position and zoom of a tile view, by the cell at its centre, so that views of different sizes
/// can share one.
struct ViewState {
    /// Device-independent pixels of a cell's shorter side; 0: fit the whole picture.
    double scale = 0;
    double centreRow = 0, centreCol = 0; ///< in cells

    bool fits() const { return scale <= 0; }
    friend bool operator==(const ViewState &, const ViewState &) = default;
};

/// Where cells lie in a viewport: the arithmetic of a view, without the widget. Cell edges fall on
/// device pixels, so that neighbouring tiles never leave a seam.
class ViewGeometry
{
public:
    static constexpr double kMaxScale = 128;

    ViewGeometry() = default;
    /// A state whose scale is 0 becomes the one that fits; positions are kept on the picture.
    /// `mostStretch`: how many times as wide as high, or as high as wide, a cell may be for the
    /// picture to fill the viewport; 1: cells are square.
    ViewGeometry(const ViewState &state, QSizeF viewport, double devicePixelRatio,
                 std::uint64_t rows, std::uint64_t cols, double mostStretch = 1);

    const ViewState &state() const { return m_state; } ///< with a real scale
    double scale() const { return m_state.scale; }     ///< the shorter side of a cell
    double cellWidth() const { return m_state.scale * m_wide; }
    double cellHeight() const { return m_state.scale * m_high; }
    /// The scale where a cell of the picture can be as far out as makes sense.
    double minScale() const { return std::min(1.0, m_fitScale / 2); }

    /// Left edge of a column, upper edge of a row; also for fractions and past the end.
    double xOf(double col) const;
    double yOf(double row) const;
    double colAt(double x) const;
    double rowAt(double y) const;
    /// Middle of a cell, not rounded: what a zoom may keep in place however small the cell is.
    QPointF centreOf(std::uint64_t row, std::uint64_t col) const;

    /// Level of tiles to draw: the finest whose pixels are not smaller than device pixels, by the
    /// longer side of a cell.
    int level() const;
    /// Levels more along the shorter side of a cell, so that pixels are not smaller than device
    /// pixels there either and yet no cells are merged along the other side; 0 in one of the two
    /// directions at least, and where the cells are so small that this would be slow.
    int moreAcross() const { return m_wide <= m_high ? coarserLevel() - level() : 0; }
    int moreDown() const { return m_wide > m_high ? coarserLevel() - level() : 0; }

    /// The same with a new scale, the cell under `anchor` (viewport coordinates) staying there.
    ViewState zoomed(double scale, QPointF anchor) const;
    ViewState panned(QPointF pixels) const;
    /// The same scale with the cell in view: moved no more than needed, with a margin of a cell.
    ViewState revealing(std::uint64_t row, std::uint64_t col) const;

private:
    int levelOf(double side) const;
    /// Of the shorter side; equal to that of the longer one where cells are not told apart.
    int coarserLevel() const { return levelOf(scale()); }

    ViewState m_state;
    QSizeF m_viewport;
    double m_ratio = 1, m_fitScale = 1;
    double m_wide = 1, m_high = 1; ///< sides of a cell by its shorter one
    double m_mostStretch = 1;
    double m_rows = 0, m_cols = 0;
};

/// What lies along one side of a picture.
struct TileAxis {
    QString title;                              ///< "out channel"; empty: no ruler
    std::uint64_t count = 0;                    ///< rows or columns of the picture
    std::uint64_t block = 1;                    ///< rows or columns that belong together
    std::function<QString(std::uint64_t)> text; ///< of a row or a column: "12", "3,0,1"
};

/// A ruler beside a TileView: the name of an axis, and indices where there is room for them. The
/// first and the last index on view are always told.
class TileRuler final : public QWidget
{
    Q_OBJECT

public:
    TileRuler(Qt::Orientation orientation, QWidget *parent);

    void setAxis(TileAxis axis);
    const TileAxis &axis() const { return m_axis; }
    /// Pixels that it takes across; 0 without a title.
    int thickness() const;
    /// Where the picture's cells are now. `geometry`: of the viewport that begins at `origin` of
    /// this ruler, along its axis.
    void showGeometry(const ViewGeometry &geometry, int origin);

    struct Tick {
        std::uint64_t index = 0;
        double at = 0; ///< middle of the row or column, in pixels of the ruler
    };
    std::vector<Tick> ticks() const;
    /// Where the label of a tick is drawn.
    QRect labelBox(const Tick &tick, const QString &text) const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    bool across() const { return m_orientation == Qt::Horizontal; }
    double positionOf(double index) const;
    double indexAt(double position) const;
    int labelExtent() const; ///< along the axis, with a gap
    std::uint64_t step() const;

    Qt::Orientation m_orientation;
    TileAxis m_axis;
    ViewGeometry m_geometry;
    int m_origin = 0;
    int m_widest = 0; ///< pixels of the widest label
};

} // namespace kernscope::ui
