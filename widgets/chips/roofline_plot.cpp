// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_plot.h"

#include "widgets/common/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

RooflinePlot::RooflinePlot(QWidget *parent)
    : PlotWidget(tr("Roofline"), parent), m_marks(plot(), *this), m_labels(plot(), *this)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(QStringLiteral("gb"));
        axis->setNumberPrecision(0);
    }
    plot().xAxis->setLabel(tr("Arithmetic intensity, FLOP/byte"));
    plot().yAxis->setLabel(tr("Attainable rate, FLOP/s"));
    plot().setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    showLegend();
    connect(&plot(), &QCustomPlot::afterLayout, this, [this] {
        m_marks.place(m_points, currentPoint());
        m_labels.place(m_points, m_marks, currentPoint());
    });
    // After the points' own words: a ceiling without room for its name says it here.
    connect(&plot(), &QCustomPlot::mouseMove, this, &RooflinePlot::nameRoof);
}

void RooflinePlot::setContent(BundlePtr bundle, roofline::Roofs roofs,
                              std::vector<ChipLayer> layers, const roofline::ProgramTime &program)
{
    beginData();
    m_points.set(std::move(bundle), std::move(roofs), std::move(layers), program);
    m_marks.draw(m_points);
    fit();
    m_labels.draw(m_points);
    endData();
}

QPoint RooflinePlot::positionOf(int point) const
{
    return placeOf(plot(), m_points, point);
}

int RooflinePlot::nearest(const QPoint &position) const
{
    const int reach = theme::em(this, 0.8);
    int best = reach * reach, found = -1;
    for (const RooflinePoints::Spot &spot : m_points.spots()) {
        const int point = spot.points.front();
        const QPoint off = positionOf(point) - position;
        const int square = QPoint::dotProduct(off, off);
        if (square < best)
            best = square, found = point;
    }
    return found;
}

/// The point under the mouse; where several coincide and one is chosen, the next of them.
int RooflinePlot::nextAt(const QPoint &position) const
{
    const int under = nearest(position);
    if (under < 0)
        return under;
    const std::vector<int> here = m_points.coinciding(under);
    const auto now = std::find(here.begin(), here.end(), currentPoint());
    if (now == here.end())
        return here.front();
    return now + 1 == here.end() ? here.front() : *(now + 1);
}

void RooflinePlot::fit()
{
    const RooflineView all = m_points.extent();
    plot().xAxis->setRange(all.left, all.right);
    plot().yAxis->setRange(all.low, all.high);
}

void RooflinePlot::zoom(double factor)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis})
        axis->scaleRange(factor, std::sqrt(axis->range().lower * axis->range().upper));
    plot().replot(QCustomPlot::rpQueuedReplot);
}

RooflineView RooflinePlot::view() const
{
    const QCPRange across = plot().xAxis->range(), up = plot().yAxis->range();
    return {across.lower, across.upper, up.lower, up.upper};
}

void RooflinePlot::setView(const RooflineView &view)
{
    plot().xAxis->setRange(view.left, view.right);
    plot().yAxis->setRange(view.low, view.high);
    plot().replot(QCustomPlot::rpQueuedReplot);
}

bool RooflinePlot::zoomKey(int key, Qt::KeyboardModifiers modifiers)
{
    const auto pan = [](QCPAxis *axis, double decades) {
        const double factor = std::pow(10, decades);
        axis->setRange(axis->range().lower * factor, axis->range().upper * factor);
    };
    const bool shift = modifiers & Qt::ShiftModifier;
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(0.8); return true;
    case Qt::Key_Minus: zoom(1.25); return true;
    case Qt::Key_0: fit(); break;
    case Qt::Key_Left:
        if (!shift)
            return false;
        pan(plot().xAxis, -0.2);
        break;
    case Qt::Key_Right:
        if (!shift)
            return false;
        pan(plot().xAxis, 0.2);
        break;
    case Qt::Key_Up: pan(plot().yAxis, 0.2); break;
    case Qt::Key_Down: pan(plot().yAxis, -0.2); break;
    default: return false;
    }
    plot().replot(QCustomPlot::rpQueuedReplot);
    return true;
}

bool RooflinePlot::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != &plot())
        return PlotWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const auto *press = static_cast<QKeyEvent *>(event);
        if (zoomKey(press->key(), press->modifiers()))
            return true;
    }
    if (event->type() == QEvent::MouseButtonPress)
        m_pressed = static_cast<QMouseEvent *>(event)->pos();
    if (event->type() == QEvent::MouseMove) {
        const QPoint position = static_cast<QMouseEvent *>(event)->pos();
        showTipOf(nearest(position), position);
        return false;
    }
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const bool dragged =
            (mouse->pos() - m_pressed).manhattanLength() > QApplication::startDragDistance();
        pick(mouse->button() == Qt::LeftButton && !dragged ? nextAt(mouse->pos()) : -1);
        return false;
    }
    return PlotWidget::eventFilter(watched, event);
}

/// The name of a ceiling under the pointer, where no point is.
void RooflinePlot::nameRoof(const QMouseEvent *event)
{
    const QPoint at = event->position().toPoint();
    const QString text = nearest(at) < 0 ? m_labels.roofTextAt(at) : QString();
    if (!text.isEmpty())
        QToolTip::showText(plot().mapToGlobal(at), text, &plot());
}

void RooflinePlot::applyColors(bool dark)
{
    m_labels.applyColors(dark);
    m_marks.applyColors(m_points, currentPoint(), dark);
}

} // namespace kernscope::ui

#include "moc_roofline_plot.cpp"
