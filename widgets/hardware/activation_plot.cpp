// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/activation_plot.h"

#include "core/numeric/half.h"
#include "widgets/common/theme.h"
#include "widgets/weight/weight_words.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

constexpr int kSamples = 600; ///< of each of the three parts of the curve
constexpr int kKnots = static_cast<int>(format::ActivationTable::kKnots);

QCPItemStraightLine *verticalLine(QCustomPlot &plot)
{
    auto *line = new QCPItemStraightLine(&plot);
    line->setSelectable(false);
    line->setVisible(false);
    return line;
}

} // namespace

ActivationPlot::ActivationPlot(QWidget *parent)
    : PlotWidget(tr("Activation function over fp16"), parent)
{
    m_inside = plot().addGraph();
    m_left = plot().addGraph();
    m_right = plot().addGraph();
    m_knots = plot().addGraph();
    m_knots->setLineStyle(QCPGraph::lsNone);
    m_low = verticalLine(plot());
    m_high = verticalLine(plot());
    plot().xAxis->setLabel(tr("input"));
    plot().yAxis->setLabel(tr("output"));
}

void ActivationPlot::setTable(std::optional<format::ActivationTable> table,
                              format::ActivationArithmetic arithmetic, format::ActivationTail tail)
{
    beginData();
    m_table = std::move(table);
    m_arithmetic = arithmetic;
    m_tail = tail;
    for (QCPGraph *graph : {m_inside, m_left, m_right, m_knots})
        graph->setData({}, {}, true);
    m_low->setVisible(m_table.has_value());
    m_high->setVisible(m_table.has_value());
    if (m_table) {
        const auto low = static_cast<double>(m_table->lowClamp());
        const auto high = static_cast<double>(m_table->highClamp());
        const double margin = (high - low) / 8;
        const auto domain = m_table->domain();
        fill(low - margin, domain.low, m_left, false);
        fill(domain.low, domain.high, m_inside, true);
        fill(domain.high, high + margin, m_right, false);
        QVector<double> keys, values;
        for (int i = 0; i < kKnots; ++i) {
            keys.append(keyOf(i));
            values.append(knot(i));
        }
        m_knots->setData(keys, values, true);
        m_low->point1->setCoords(low, 0);
        m_low->point2->setCoords(low, 1);
        m_high->point1->setCoords(high, 0);
        m_high->point2->setCoords(high, 1);
        plot().rescaleAxes(true);
        plot().yAxis->scaleRange(1.1);
        plot().xAxis->setRange(low - margin, high + margin);
    }
    endData();
}

/// Samples between two inputs, each rounded to fp16 as the engine's inputs are.
void ActivationPlot::fill(double from, double to, QCPGraph *graph, bool inside)
{
    QVector<double> keys, values;
    for (int i = 0; i <= kSamples; ++i) {
        const double input = from + (to - from) * i / kSamples;
        const double value = valueAt(input);
        if (!std::isfinite(value))
            continue;
        // The ends belong to the knots: the parts outside stop short of them.
        if (!inside && (i == 0 || i == kSamples) && m_table &&
            (input == m_table->domain().low || input == m_table->domain().high))
            continue;
        keys.append(input);
        values.append(value);
    }
    graph->setData(keys, values, true);
}

double ActivationPlot::valueAt(double input) const
{
    return static_cast<double>(
        halfToFloat(m_table->evaluate(doubleToHalf(input), m_arithmetic, m_tail)));
}

double ActivationPlot::knot(int point) const
{
    return static_cast<double>(m_table->knot(static_cast<std::size_t>(point)));
}

int ActivationPlot::pointCount() const
{
    return m_table ? kKnots : 0;
}

QString ActivationPlot::pointText(int point) const
{
    return tr("knot %1: %2 at %3").arg(point).arg(valueText(knot(point)), valueText(keyOf(point)));
}

QStringList ActivationPlot::columns() const
{
    return {tr("knot"), tr("input"), tr("output")};
}

QVariant ActivationPlot::cell(int point, int column) const
{
    if (column == 0)
        return point;
    return column == 1 ? keyOf(point) : knot(point);
}

double ActivationPlot::keyOf(int point) const
{
    return m_table ? m_table->knotInput(static_cast<std::size_t>(point)) : 0;
}

int ActivationPlot::pointAt(double key) const
{
    if (!m_table)
        return -1;
    const auto domain = m_table->domain();
    const double at = std::round((key - domain.low) / (domain.high - domain.low) * (kKnots - 1));
    return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(kKnots - 1)));
}

void ActivationPlot::applyColors(bool dark)
{
    const QColor curve = theme::color(Token::KindData, dark);
    const QColor outside = theme::color(Token::KindValues, dark);
    m_inside->setPen(QPen(curve, 2));
    for (QCPGraph *graph : {m_left, m_right})
        graph->setPen(QPen(outside, 2, Qt::DashLine));
    m_knots->setPen(QPen(curve, 1));
    m_knots->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, curve, palette().color(QPalette::Base), 6));
    for (QCPItemStraightLine *line : {m_low, m_high})
        line->setPen(QPen(theme::color(Token::KindHeader, dark), 1, Qt::DotLine));
}

} // namespace kernscope::ui

#include "moc_activation_plot.cpp"
