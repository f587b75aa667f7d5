// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/scatter_plot.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/difference_tiles.h"

#include <QMouseEvent>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernscope::ui {

namespace {

constexpr double kPointSize = 4.5;

QCPScatterStyle::ScatterShape shapeOf(std::size_t graph)
{
    constexpr std::array kShapes{QCPScatterStyle::ssCircle, QCPScatterStyle::ssTriangleInverted,
                                 QCPScatterStyle::ssTriangle};
    return kShapes[graph];
}

/// Index into the graphs: kept in both, only in A, only in B.
std::size_t graphOf(float a, float b)
{
    if (a != 0.0f && b == 0.0f)
        return 1;
    return a == 0.0f && b != 0.0f ? 2 : 0;
}

} // namespace

ScatterPlot::ScatterPlot(QWidget *parent)
    : PlotWidget(tr("Values of A against values of B"), parent)
{
    m_diagonal = plot().addGraph();
    m_diagonal->removeFromLegend();
    for (std::size_t i = 0; i < m_graphs.size(); ++i) {
        m_graphs[i] = plot().addGraph();
        m_graphs[i]->setLineStyle(QCPGraph::lsNone);
        m_graphs[i]->setName(keptText(kKeptStates[i]));
    }
    m_current = plot().addGraph();
    m_current->setLineStyle(QCPGraph::lsNone);
    m_current->removeFromLegend();
    plot().xAxis->setLabel(tr("A"));
    plot().yAxis->setLabel(tr("B"));
    plot().legend->setVisible(true);
    plot().axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignLeft);
    rescale();
}

void ScatterPlot::setSample(PairSample sample)
{
    beginData();
    m_sample = std::move(sample);
    m_order.clear();
    for (std::size_t i = 0; i < m_sample.a.size(); ++i) {
        if (std::isfinite(m_sample.a[i]) && std::isfinite(m_sample.b[i]))
            m_order.push_back(i);
    }
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t x, std::size_t y) {
        return m_sample.a[x] < m_sample.a[y];
    });
    std::array<QVector<double>, 3> keys, values;
    for (const std::size_t i : m_order) {
        const std::size_t graph = graphOf(m_sample.a[i], m_sample.b[i]);
        keys[graph].append(static_cast<double>(m_sample.a[i]));
        values[graph].append(static_cast<double>(m_sample.b[i]));
    }
    for (std::size_t i = 0; i < m_graphs.size(); ++i)
        m_graphs[i]->setData(keys[i], values[i], true);
    rescale();
    endData();
}

/// Everything, unless a few values would press the others into a spot: those then lie outside.
void ScatterPlot::rescale()
{
    constexpr double kOutlier = 4, kRoom = 1.6;
    double low = 0, high = 0;
    for (const std::size_t i : m_order) {
        const auto a = static_cast<double>(m_sample.a[i]), b = static_cast<double>(m_sample.b[i]);
        low = std::min({low, a, b});
        high = std::max({high, a, b});
    }
    const double range = m_sample.valueRange;
    if (std::max(high, -low) > kOutlier * range) {
        low = std::max(low, -kRoom * range);
        high = std::min(high, kRoom * range);
    }
    const double margin = high > low ? 0.05 * (high - low) : 1.0;
    plot().xAxis->setRange(low - margin, high + margin);
    plot().yAxis->setRange(low - margin, high + margin);
    m_diagonal->setData({low - margin, high + margin}, {low - margin, high + margin}, true);
    labelAxes(low, high);
}

void ScatterPlot::labelAxes(double low, double high)
{
    const auto outside = std::count_if(m_order.begin(), m_order.end(), [&](std::size_t i) {
        const auto a = static_cast<double>(m_sample.a[i]);
        const auto b = static_cast<double>(m_sample.b[i]);
        return std::min(a, b) < low || std::max(a, b) > high;
    });
    QString label = sampled() && pointCount() > 0
                        ? tr("A (a sample of %1)").arg(groupedNumber(m_order.size()))
                        : tr("A");
    if (outside > 0)
        label += tr(", %1 outside").arg(outside);
    plot().xAxis->setLabel(label);
}

void ScatterPlot::resizeEvent(QResizeEvent *event)
{
    PlotWidget::resizeEvent(event);
    plot().legend->setVisible(width() > theme::em(this, 16));
}

std::uint64_t ScatterPlot::elementOf(int point) const
{
    return m_sample.elements[at(point)];
}

int ScatterPlot::pointOf(std::uint64_t element) const
{
    const auto found =
        std::lower_bound(m_sample.elements.begin(), m_sample.elements.end(), element);
    if (found == m_sample.elements.end() || *found != element)
        return -1;
    const auto index = static_cast<std::size_t>(found - m_sample.elements.begin());
    const auto point = std::find(m_order.begin(), m_order.end(), index);
    return point == m_order.end() ? -1 : static_cast<int>(point - m_order.begin());
}

QString ScatterPlot::pointText(int point) const
{
    const auto a = static_cast<double>(m_sample.a[at(point)]);
    const auto b = static_cast<double>(m_sample.b[at(point)]);
    return tr("element %1: A %2, B %3, difference %4")
        .arg(elementOf(point))
        .arg(a, 0, 'g', 5)
        .arg(b, 0, 'g', 5)
        .arg(b - a, 0, 'g', 4);
}

QStringList ScatterPlot::columns() const
{
    return {tr("element"), tr("A"), tr("B"), tr("difference")};
}

QVariant ScatterPlot::cell(int point, int column) const
{
    const float a = m_sample.a[at(point)], b = m_sample.b[at(point)];
    switch (column) {
    case 0: return static_cast<qulonglong>(elementOf(point));
    case 1: return static_cast<double>(a);
    case 2: return static_cast<double>(b);
    default: return static_cast<double>(b) - static_cast<double>(a);
    }
}

double ScatterPlot::keyOf(int point) const
{
    return static_cast<double>(m_sample.a[at(point)]);
}

int ScatterPlot::pointAt(double key) const
{
    const auto found =
        std::lower_bound(m_order.begin(), m_order.end(), key, [this](std::size_t i, double k) {
            return static_cast<double>(m_sample.a[i]) < k;
        });
    if (m_order.empty())
        return -1;
    return std::min(static_cast<int>(found - m_order.begin()), pointCount() - 1);
}

/// The point that lies nearest on the screen; -1 where none is near.
int ScatterPlot::nearest(const QPoint &position) const
{
    const double reach = theme::em(this, 0.7);
    double best = reach * reach;
    int found = -1;
    const int first = pointAt(plot().xAxis->pixelToCoord(position.x() - reach));
    for (int i = std::max(first, 0); i < pointCount(); ++i) {
        const double dx = plot().xAxis->coordToPixel(keyOf(i)) - position.x();
        if (dx > reach)
            break;
        const auto b = static_cast<double>(m_sample.b[at(i)]);
        const double dy = plot().yAxis->coordToPixel(b) - position.y();
        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            found = i;
        }
    }
    return found;
}

bool ScatterPlot::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != &plot())
        return PlotWidget::eventFilter(watched, event);
    if (event->type() == QEvent::MouseMove) {
        const QPoint position = static_cast<QMouseEvent *>(event)->pos();
        showTipOf(nearest(position), position);
        return false;
    }
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        pick(mouse->button() == Qt::LeftButton ? nearest(mouse->pos()) : -1);
        return false;
    }
    return PlotWidget::eventFilter(watched, event);
}

void ScatterPlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    for (std::size_t i = 0; i < m_graphs.size(); ++i) {
        const QColor color = keptColor(kKeptStates[i], dark);
        m_graphs[i]->setScatterStyle(
            QCPScatterStyle(shapeOf(i), QPen(color, 0), color, kPointSize));
    }
    QColor line = palette().color(QPalette::Text);
    line.setAlpha(110);
    m_diagonal->setPen(QPen(line, 0, Qt::DashLine));
    const QColor mark = theme::color(Token::MarkChanged, dark);
    m_current->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(mark, 2), ground, 2 * kPointSize));
    m_current->data()->clear();
    if (currentPoint() >= 0)
        m_current->addData(keyOf(currentPoint()),
                           static_cast<double>(m_sample.b[at(currentPoint())]));
}

} // namespace kernscope::ui
