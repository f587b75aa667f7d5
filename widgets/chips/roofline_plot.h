// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/roofline_labels.h"
#include "widgets/chips/roofline_marks.h"
#include "widgets/chips/roofline_points.h"
#include "widgets/common/plot_widget.h"

namespace kernscope::ui {

/// The layers of a bundle under the ceilings of a chip, both axes by powers of ten, a point a
/// layer (RooflineMarks, RooflineLabels). A click where points coincide goes from one to the next.
/// Beside the keys of every plot: plus and minus zoom, 0 shows everything, Shift with an arrow
/// pans.
class RooflinePlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit RooflinePlot(QWidget *parent = nullptr);

    /// See RooflinePoints::set.
    void setContent(BundlePtr bundle, roofline::Roofs roofs, std::vector<ChipLayer> layers,
                    const roofline::ProgramTime &program);
    const RooflinePoints &points() const { return m_points; }
    const RooflineMarks &marks() const { return m_marks; }
    const RooflineLabels &labels() const { return m_labels; }
    QPoint positionOf(int point) const; ///< on the screen
    void fit();
    void zoom(double factor);
    RooflineView view() const;
    void setView(const RooflineView &view);

    int pointCount() const override { return m_points.count(); }
    QString pointText(int point) const override { return m_points.text(point); }
    int columnCount() const override { return m_points.columnCount(); }
    QVariant header(int column, int role) const override { return m_points.header(column, role); }
    QVariant cellData(int point, int column, int role) const override
    {
        return m_points.cell(point, column, role);
    }

protected:
    double keyOf(int point) const override { return m_points.keyOf(point); }
    int pointAt(double key) const override { return m_points.nearestKey(key); }
    void applyColors(bool dark) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    int nearest(const QPoint &position) const;
    int nextAt(const QPoint &position) const;
    void nameRoof(const QMouseEvent *event);
    bool zoomKey(int key, Qt::KeyboardModifiers modifiers);

    RooflinePoints m_points;
    RooflineMarks m_marks;
    RooflineLabels m_labels;
    QPoint m_pressed;
};

} // namespace kernscope::ui
