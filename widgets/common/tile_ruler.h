// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/view_state.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <vector>

namespace kernscope::ui {

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
