// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/histogram_plot.h"

#include "widgets/models/table_text.h"
#include "widgets/theme/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

HistogramPlot::HistogramPlot(QWidget *parent)
    : PlotWidget(tr("Histogram of the decoded values"), parent)
{
    m_bars = new QCPBars(plot().xAxis, plot().yAxis);
    m_bars->setWidthType(QCPBars::wtPlotCoords);
    m_bars->setAntialiased(false);
    plot().xAxis->setLabel(tr("value"));
    plot().yAxis->setLabel(tr("elements"));
    plot().yAxis->setNumberFormat(QStringLiteral("gb"));
    plot().yAxis->setNumberPrecision(3);
}

void HistogramPlot::setHistogram(Histogram histogram)
{
    beginData();
    m_histogram = std::move(histogram);
    QVector<double> keys, counts;
    for (int bin = 0; bin < pointCount(); ++bin) {
        keys.append(keyOf(bin));
        counts.append(static_cast<double>(m_histogram.bins[static_cast<std::size_t>(bin)]));
    }
    m_bars->setData(keys, counts, true);
    if (pointCount() > 0)
        m_bars->setWidth(edge(1) - edge(0));
    rescale();
    endData();
}

void HistogramPlot::setLogarithmic(bool logarithmic)
{
    if (m_logarithmic == logarithmic)
        return;
    m_logarithmic = logarithmic;
    QCPAxis *axis = plot().yAxis;
    axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    axis->setTicker(logarithmic ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    axis->setNumberPrecision(logarithmic ? 0 : 3);
    axis->setNumberFormat(logarithmic ? QStringLiteral("eb") : QStringLiteral("gb"));
    rescale();
    plot().replot(QCustomPlot::rpQueuedReplot);
}

void HistogramPlot::rescale()
{
    if (pointCount() == 0) {
        plot().xAxis->setRange(0, 1);
        plot().yAxis->setRange(m_logarithmic ? 0.5 : 0, 1);
        return;
    }
    const auto most = *std::max_element(m_histogram.bins.begin(), m_histogram.bins.end());
    const double top = std::max(1.0, static_cast<double>(most));
    plot().xAxis->setRange(edge(0), edge(pointCount()));
    plot().yAxis->setRange(m_logarithmic ? 0.5 : 0, top * (m_logarithmic ? 1.6 : 1.05));
    m_bars->setBaseValue(m_logarithmic ? 0.5 : 0);
}

double HistogramPlot::edge(int bin) const
{
    // Weights of one value have no width of their own.
    const double low = m_histogram.low;
    const double high = m_histogram.high > low ? m_histogram.high : low + 1;
    return low + (high - low) * bin / std::max(1, pointCount());
}

double HistogramPlot::keyOf(int point) const
{
    return (edge(point) + edge(point + 1)) / 2;
}

int HistogramPlot::pointAt(double key) const
{
    if (pointCount() == 0 || key < edge(0) || key > edge(pointCount()))
        return -1;
    const double width = edge(1) - edge(0);
    return std::clamp(static_cast<int>((key - edge(0)) / width), 0, pointCount() - 1);
}

QString HistogramPlot::pointText(int point) const
{
    return tr("%1 elements from %2 to %3")
        .arg(groupedNumber(m_histogram.bins[static_cast<std::size_t>(point)]))
        .arg(edge(point), 0, 'g', 4)
        .arg(edge(point + 1), 0, 'g', 4);
}

QStringList HistogramPlot::columns() const
{
    return {tr("from"), tr("to"), tr("elements")};
}

QVariant HistogramPlot::cell(int point, int column) const
{
    if (column == 2)
        return static_cast<qulonglong>(m_histogram.bins[static_cast<std::size_t>(point)]);
    return edge(point + column);
}

void HistogramPlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindData, dark);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(color);
}

} // namespace kernscope::ui
