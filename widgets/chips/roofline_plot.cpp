// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_plot.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

using roofline::Assessment;
using roofline::Placement;

} // namespace

int shapeOfForm(const std::string &key)
{
    if (key == "dense")
        return 0;
    if (key.starts_with("palette"))
        return 1;
    if (key.starts_with("sparse"))
        return 2;
    return key.starts_with("int8") || key.starts_with("blockwise") ? 3 : 4;
}

QString shapeWord(int shape)
{
    switch (shape) {
    case 0: return RooflinePlot::tr("dense");
    case 1: return RooflinePlot::tr("palette");
    case 2: return RooflinePlot::tr("sparse");
    case 3: return RooflinePlot::tr("int8 or blockwise");
    default: return RooflinePlot::tr("other form");
    }
}

RooflinePlot::RooflinePlot(QWidget *parent) : PlotWidget(tr("Roofline"), parent)
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
    m_chosenPoint = plot().addGraph();
    m_chosenPoint->setLineStyle(QCPGraph::lsNone);
    m_chosenPoint->removeFromLegend();
    showLegend();
    connect(&plot(), &QCustomPlot::afterLayout, this, &RooflinePlot::placeLabels);
    // After the points' own words: a ceiling without room for its name says it here.
    connect(&plot(), &QCustomPlot::mouseMove, this, &RooflinePlot::nameRoof);
}

void RooflinePlot::setContent(BundlePtr bundle, roofline::Roofs roofs,
                              std::vector<ChipLayer> layers, const roofline::ProgramTime &program)
{
    beginData();
    m_bundle = std::move(bundle);
    m_given = std::move(roofs);
    m_program = program;
    m_layers = std::move(layers);
    m_order.clear();
    m_longest = 0;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Assessment &stored = m_layers[i].figures->stored();
        if (!stored.intensity || *stored.intensity <= 0 || !stored.attainable)
            continue;
        m_order.push_back(i);
        m_longest = std::max(m_longest, stored.timeS.value_or(0));
    }
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return *m_layers[a].figures->stored().intensity < *m_layers[b].figures->stored().intensity;
    });
    findSpots();
    clearDrawing();
    drawPoints();
    drawFloor();
    fit();
    drawRoofs();
    makePointLabels();
    endData();
}

const ChipLayer &RooflinePlot::layerOf(int point) const
{
    return m_layers[m_order[static_cast<std::size_t>(point)]];
}

int RooflinePlot::pointOfWeight(std::size_t weight) const
{
    for (int i = 0; i < pointCount(); ++i) {
        if (layerOf(i).weight == weight)
            return i;
    }
    return -1;
}

double RooflinePlot::keyOf(int point) const
{
    return *placementOf(point).stored().intensity;
}

double RooflinePlot::levelOf(int point) const
{
    return *placementOf(point).stored().attainable;
}

int RooflinePlot::pointAt(double key) const
{
    if (m_order.empty())
        return -1;
    int best = 0;
    for (int i = 1; i < pointCount(); ++i) {
        if (std::abs(std::log(keyOf(i) / key)) < std::abs(std::log(keyOf(best) / key)))
            best = i;
    }
    return best;
}

QPoint RooflinePlot::positionOf(int point) const
{
    return QPointF(plot().xAxis->coordToPixel(keyOf(point)),
                   plot().yAxis->coordToPixel(levelOf(point)))
        .toPoint();
}

int RooflinePlot::nearest(const QPoint &position) const
{
    const int reach = theme::em(this, 0.8);
    int best = reach * reach, found = -1;
    for (const Spot &spot : m_spots) {
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
    const std::vector<int> here = coinciding(under);
    const auto now = std::find(here.begin(), here.end(), currentPoint());
    if (now == here.end())
        return here.front();
    return now + 1 == here.end() ? here.front() : *(now + 1);
}

void RooflinePlot::fit()
{
    double left = 1, right = 1000, low = 1e10, high = 1e13;
    bool first = true;
    const auto include = [&](double x, double y) {
        left = first ? x : std::min(left, x);
        right = first ? x : std::max(right, x);
        low = first ? y : std::min(low, y);
        high = first ? y : std::max(high, y);
        first = false;
    };
    for (int i = 0; i < pointCount(); ++i) {
        include(keyOf(i), levelOf(i));
        const Placement &placed = placementOf(i);
        const Assessment &dense = placed.trail[placed.dense];
        if (dense.intensity && dense.attainable && *dense.intensity > 0)
            include(*dense.intensity, *dense.attainable);
    }
    if (m_given.ridge && m_given.compute)
        include(*m_given.ridge, m_given.compute->value);
    // The floor of the dispatch is in view, unless it would press everything else together.
    if (m_floorRate && *m_floorRate > low / 1e4)
        include(left, *m_floorRate);
    // At least three decades, so that a single point still lies under whole roofs.
    const auto setRange = [](QCPAxis *axis, double from, double to) {
        const double room = std::max(1.0, std::sqrt(1e3 / (to / from)));
        axis->setRange(from / room, to * room);
    };
    setRange(plot().xAxis, left / 4, right * 6);
    setRange(plot().yAxis, low / 8, high * 3);
}

void RooflinePlot::zoom(double factor)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis})
        axis->scaleRange(factor, std::sqrt(axis->range().lower * axis->range().upper));
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

QString RooflinePlot::pictureKinds() const
{
    return tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF (*.pdf)");
}

QString RooflinePlot::exportPicture(const QString &path)
{
    if (!path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive))
        return PlotWidget::exportPicture(path);
    return writeTextFile(path, svg({1200, 700}));
}

} // namespace kernscope::ui

#include "moc_roofline_plot.cpp"
