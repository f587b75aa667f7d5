// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/roofline_labels.h"
#include "widgets/chips/roofline_points.h"
#include "widgets/common/plot_widget.h"

#include <QPoint>

namespace kernscope::ui {

/// The points of a roofline as they are drawn: a shape a form, hollow where the figures are
/// estimated, a size a decade of time; arrows from where layers would lie dense; a flag beside what
/// passes a measured roof; a ring around the chosen point.
class RooflineMarks
{
public:
    static constexpr double kRing = 24; ///< pixels across

    /// `look` has the font and the colours.
    RooflineMarks(QCustomPlot &plot, const QWidget &look);

    void draw(const RooflinePoints &points);
    void applyColors(const RooflinePoints &points, int current, bool dark);
    /// Flags stand beside their points, wherever the axes are; of those that would cover each other
    /// the first is shown.
    void place(const RooflinePoints &points, int current);
    /// Of the points and of their flags, the ring among them, as of the last place().
    const std::vector<QRectF> &boxes() const { return m_boxes; }

private:
    struct Series { ///< points of one form, size and certainty
        int shape = 0;
        int size = 0;
        bool hollow = false;
        QCPGraph *graph = nullptr;
    };
    struct Flag {
        int point = 0;
        QCPItemText *text = nullptr;
    };
    QCPGraph *series(int shape, int size, bool hollow);

    QCustomPlot &m_plot;
    const QWidget &m_look;
    std::vector<Series> m_series;
    std::vector<QCPItemLine *> m_arrows;
    std::vector<Flag> m_flags;
    std::vector<QRectF> m_boxes;
    QCPGraph *m_ring = nullptr;
};

/// Where a point lies on the screen.
QPoint placeOf(const QCustomPlot &plot, const RooflinePoints &points, int point);

/// 0 to 4: dense, palette, sparse, scaled integers, others. The shapes of the points.
int shapeOfForm(const std::string &key);
QString shapeWord(int shape);

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
    QPoint positionOf(int point) const
    {
        return placeOf(plot(), m_points, point);
    } ///< on the screen
    void fit();
    void zoom(double factor);
    /// Beside the roofs that matter to the points.
    void showAllRoofs(bool all);

    int pointCount() const override { return m_points.count(); }
    QString pointText(int point) const override { return m_points.text(point); }

protected:
    double keyOf(int point) const override { return m_points.keyOf(point); }
    int pointAt(double key) const override { return m_points.nearestKey(key); }
    void applyColors(bool dark) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    std::optional<int> nearest(const QPoint &position) const override;
    int nextAt(const QPoint &position) const;
    void nameRoof(const QMouseEvent *event);
    bool zoomKey(int key, Qt::KeyboardModifiers modifiers);

    RooflinePoints m_points;
    RooflineMarks m_marks;
    RooflineLabels m_labels;
    QPoint m_pressed;
    bool m_allRoofs = false;
};

} // namespace kernscope::ui
