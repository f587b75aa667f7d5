// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/roofline_plot.h"

#include "widgets/chips/chip_words.h"
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

QString flops(const std::optional<double> &value)
{
    return value ? siWord(*value, QStringLiteral("FLOP/s")) : RooflinePlot::tr("unknown");
}

QString seconds(const std::optional<double> &value)
{
    return value ? siWord(*value, QStringLiteral("s")) : RooflinePlot::tr("unknown");
}

QString boundWord(roofline::Bound bound)
{
    switch (bound) {
    case roofline::Bound::Compute: return RooflinePlot::tr("compute bound");
    case roofline::Bound::Bandwidth: return RooflinePlot::tr("bandwidth bound");
    case roofline::Bound::Unknown: break;
    }
    return RooflinePlot::tr("bound unknown");
}

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

void RooflinePlot::setContent(roofline::Roofs roofs, std::vector<Placement> placements,
                              const roofline::ProgramTime &program)
{
    beginData();
    m_given = std::move(roofs);
    m_program = program;
    m_placements = std::move(placements);
    m_order.clear();
    m_longest = 0;
    for (std::size_t i = 0; i < m_placements.size(); ++i) {
        const Assessment &stored = m_placements[i].stored();
        if (!stored.intensity || *stored.intensity <= 0 || !stored.attainable)
            continue;
        m_order.push_back(i);
        m_longest = std::max(m_longest, stored.timeS.value_or(0));
    }
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return *m_placements[a].stored().intensity < *m_placements[b].stored().intensity;
    });
    clearDrawing();
    drawPoints();
    drawFloor();
    fit();
    drawRoofs();
    makePointLabels();
    endData();
}

const Placement &RooflinePlot::placementOf(int point) const
{
    return m_placements[m_order[static_cast<std::size_t>(point)]];
}

int RooflinePlot::pointOfWeight(std::size_t weight) const
{
    for (int i = 0; i < pointCount(); ++i) {
        if (placementOf(i).layer.weight == weight)
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
    for (int i = 0; i < pointCount(); ++i) {
        const QPoint off = positionOf(i) - position;
        const int square = QPoint::dotProduct(off, off);
        if (square < best)
            best = square, found = i;
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

QString RooflinePlot::pointText(int point) const
{
    const Placement &placed = placementOf(point);
    const Assessment &stored = placed.stored();
    const Assessment &dense = placed.trail[placed.dense];
    QString text =
        tr("%1 (%2, %3)\n%4 / %5 = %6 FLOP/B\n")
            .arg(fromUtf8(placed.layer.label()), fromUtf8(placed.layer.op), fromUtf8(stored.form),
                 stored.flops ? siWord(*stored.flops, QStringLiteral("FLOP")) : tr("unknown FLOP"),
                 siWord(stored.bytes.value_or(0), QStringLiteral("B")))
            .arg(*stored.intensity, 0, 'g', 4);
    if (m_given.compute && m_given.bandwidth)
        text +=
            tr("min(%1, %2 FLOP/B \u00d7 %3 = %4) = %5\n")
                .arg(flops(m_given.compute->value))
                .arg(*stored.intensity, 0, 'g', 4)
                .arg(siWord(m_given.bandwidth->value, QStringLiteral("B/s")),
                     flops(*stored.intensity * m_given.bandwidth->value), flops(stored.attainable));
    text += timeText(placed);
    if (placed.dense != 0)
        text +=
            tr("\ndense %1 FLOP/B, %2").arg(*dense.intensity, 0, 'g', 4).arg(seconds(dense.timeS));
    const Assessment &best = placed.trail[placed.best];
    text += tr("; best %1, %2").arg(fromUtf8(best.form), seconds(best.timeS));
    const std::vector<int> here = coinciding(point);
    QStringList others;
    for (const int other : here) {
        if (other != point)
            others << fromUtf8(placementOf(other).layer.label());
    }
    if (!others.isEmpty())
        text += tr("\n%1 of %2 that lie here, with %3")
                    .arg(std::find(here.begin(), here.end(), point) - here.begin() + 1)
                    .arg(here.size())
                    .arg(others.join(QStringLiteral(", ")));
    const QString compiler = m_estimates.value(static_cast<qsizetype>(m_order[std::size_t(point)]));
    if (!compiler.isEmpty())
        text += tr("\nthe compiler estimates %1").arg(compiler);
    if (placed.estimated)
        text += tr("\n~ estimated: a roof that is not measured, or an extent that is not known");
    if (placed.aboveWorkingSet.value_or(false))
        text += tr("\n! an operand is larger than the working set: it is tiled and streamed");
    QStringList above;
    for (const std::string &roof : placed.above)
        above << fromUtf8(roof).replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!above.isEmpty())
        text += tr("\n! above: %1").arg(above.join(QStringLiteral(", ")));
    return text;
}

/// Both times, the longer of which binds; and its share of what the program takes.
QString RooflinePlot::timeText(const Placement &placed) const
{
    const Assessment &stored = placed.stored();
    QString text = tr("arithmetic %1, bytes %2: %3, %4")
                       .arg(seconds(stored.computeS), seconds(stored.memoryS),
                            boundWord(stored.bound), seconds(stored.timeS));
    for (const roofline::Run &run : placed.layer.runs)
        text += runText(placed, run);
    return text;
}

QStringList RooflinePlot::columns() const
{
    return {tr("layer"),   tr("op"),        tr("form"),        tr("FLOP"),
            tr("bytes"),   tr("FLOP/B"),    tr("bound"),       tr("attainable FLOP/s"),
            tr("time s"),  tr("dense B"),   tr("dense s"),     tr("best form"),
            tr("best s"),  tr("estimated"), tr("above roofs"), tr("compiler's estimate"),
            tr("function")};
}

QVariant RooflinePlot::cell(int point, int column) const
{
    const Placement &placed = placementOf(point);
    const Assessment &stored = placed.stored();
    const Assessment &dense = placed.trail[placed.dense];
    const Assessment &best = placed.trail[placed.best];
    const auto number = [](const std::optional<double> &value) {
        return value ? QVariant(*value) : QVariant();
    };
    switch (column) {
    case 0: return fromUtf8(placed.layer.name);
    case 1: return fromUtf8(placed.layer.op);
    case 2: return fromUtf8(stored.form);
    case 3: return number(stored.flops);
    case 4: return number(stored.bytes);
    case 5: return number(stored.intensity);
    case 6: return fromUtf8(roofline::boundName(stored.bound));
    case 7: return number(stored.attainable);
    case 8: return number(stored.timeS);
    case 9: return number(dense.bytes);
    case 10: return number(dense.timeS);
    case 11: return fromUtf8(best.form);
    case 12: return number(best.timeS);
    case 13: return placed.estimated ? tr("yes") : tr("no");
    case 14: return static_cast<int>(placed.above.size());
    case 15: return m_estimates.value(static_cast<qsizetype>(m_order[std::size_t(point)]));
    default: return m_functions.value(static_cast<qsizetype>(m_order[std::size_t(point)]));
    }
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
    const auto pan = [this](QCPAxis *axis, double decades) {
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
