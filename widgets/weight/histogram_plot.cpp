// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/histogram_plot.h"

#include "widgets/common/counted_words.h"
#include "widgets/common/plot_tickers.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernscope::ui {

namespace {

constexpr std::size_t kBars = 96;      ///< drawn at most
constexpr std::size_t kFewest = 8;     ///< of the fine bins in a range worth showing
constexpr double kCutAbove = 4;        ///< times the next highest bar
constexpr std::uint64_t kSpare = 2000; ///< one element in so many may lie beyond either end

} // namespace

HistogramPlot::HistogramPlot(QWidget *parent)
    : PlotWidget(tr("Histogram of the decoded values"), parent)
{
    m_bars = new QCPBars(plot().xAxis, plot().yAxis);
    m_bars->setWidthType(QCPBars::wtPlotCoords);
    m_bars->setAntialiased(false);
    plot().xAxis->setLabel(tr("value"));
    plot().yAxis->setLabel(tr("elements"));
    plot().yAxis->setTicker(countTicker());
    m_cutText = new QCPItemText(&plot());
    m_cutText->position->setTypeX(QCPItemPosition::ptPlotCoords);
    m_cutText->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_cutText->setVisible(false);
}

void HistogramPlot::setHistogram(Histogram histogram)
{
    m_histogram = std::move(histogram);
    draw();
}

void HistogramPlot::setFullRange(bool full)
{
    if (m_fullRange == full)
        return;
    m_fullRange = full;
    draw();
}

/// Picks the range and merges neighbouring bins until few enough are left.
void HistogramPlot::merge()
{
    const std::vector<std::uint64_t> &all = m_histogram.bins;
    m_shown = {};
    m_outside = 0;
    if (all.empty())
        return;
    const std::uint64_t total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    // Weights of one value have no width of their own: one bar about the value.
    if (!(m_histogram.high > m_histogram.low)) {
        m_shown.bins = {total};
        m_shown.low = m_histogram.low - 0.5;
        m_shown.high = m_histogram.low + 0.5;
        return;
    }
    const std::uint64_t spare = m_fullRange ? 0 : total / kSpare;
    std::size_t first = 0, end = all.size();
    for (std::uint64_t left = 0; first + 1 < end && left + all[first] <= spare; ++first)
        left += all[first];
    for (std::uint64_t left = 0; end - 1 > first && left + all[end - 1] <= spare; --end)
        left += all[end - 1];
    if (end - first < kFewest && spare > 0) { // nearly all of one value: the rest is the picture
        first = 0;
        end = all.size();
    }
    const std::size_t step = (end - first + kBars - 1) / kBars;
    for (std::size_t bin = first; bin < end; bin += step) {
        const auto stop = all.begin() + static_cast<std::ptrdiff_t>(std::min(bin + step, end));
        m_shown.bins.push_back(std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(bin), stop,
                                               std::uint64_t{0}));
    }
    const double low = m_histogram.low, high = m_histogram.high;
    const double width = (high - low) / static_cast<double>(all.size());
    m_shown.low = low + width * static_cast<double>(first);
    m_shown.high = m_shown.low + width * static_cast<double>(step * m_shown.bins.size());
    m_outside = total - std::accumulate(m_shown.bins.begin(), m_shown.bins.end(), std::uint64_t{0});
}

void HistogramPlot::draw()
{
    beginData();
    merge();
    QVector<double> keys, counts;
    for (int bin = 0; bin < pointCount(); ++bin) {
        keys.append(keyOf(bin));
        counts.append(static_cast<double>(m_shown.bins[static_cast<std::size_t>(bin)]));
    }
    m_bars->setData(keys, counts, true);
    if (pointCount() > 0)
        m_bars->setWidth(edge(1) - edge(0));
    plot().xAxis->setLabel(m_outside == 0
                               ? tr("value")
                               : countedWords(m_outside, tr("value (1 element lies outside)"),
                                              tr("value (%1 elements lie outside)")));
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
    axis->setTicker(logarithmic ? logTicker() : countTicker());
    rescale();
    plot().replot(QCustomPlot::rpQueuedReplot);
}

void HistogramPlot::rescale()
{
    if (pointCount() == 0) {
        m_cutBar = -1;
        m_cutText->setVisible(false);
        plot().xAxis->setRange(0, 1);
        plot().yAxis->setRange(m_logarithmic ? 0.5 : 0, 1);
        return;
    }
    const double top = shownHeight();
    plot().xAxis->setRange(edge(0), edge(pointCount()));
    plot().yAxis->setRange(m_logarithmic ? 0.5 : 0, top * (m_logarithmic ? 1.6 : 1.05));
    m_bars->setBaseValue(m_logarithmic ? 0.5 : 0);
}

/// The highest bar, or where that one flattens all others on a linear scale the next highest one.
double HistogramPlot::shownHeight()
{
    const auto highest = std::max_element(m_shown.bins.begin(), m_shown.bins.end());
    std::uint64_t next = 0;
    for (auto bin = m_shown.bins.begin(); bin != m_shown.bins.end(); ++bin) {
        if (bin != highest)
            next = std::max(next, *bin);
    }
    const auto most = static_cast<double>(*highest);
    const bool cut = !m_logarithmic && next > 0 && most > kCutAbove * static_cast<double>(next);
    m_cutBar = cut ? static_cast<int>(highest - m_shown.bins.begin()) : -1;
    m_cutText->setVisible(cut);
    if (!cut)
        return std::max(1.0, most);
    // Beside the bar, on the side that has more room.
    const bool right = m_cutBar * 2 < pointCount();
    m_cutText->setText(right ? tr(" \u2191 %1").arg(groupedNumber(*highest))
                             : tr("%1 \u2191 ").arg(groupedNumber(*highest)));
    m_cutText->setPositionAlignment((right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignTop);
    m_cutText->position->setCoords(edge(right ? m_cutBar + 1 : m_cutBar), 0);
    return static_cast<double>(next) * 1.2;
}

double HistogramPlot::edge(int bin) const
{
    return m_shown.low + (m_shown.high - m_shown.low) * bin / std::max(1, pointCount());
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
    return tr("%1 from %2 to %3")
        .arg(countedWords(m_shown.bins[static_cast<std::size_t>(point)], tr("1 element"),
                          tr("%1 elements")))
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
        return static_cast<qulonglong>(m_shown.bins[static_cast<std::size_t>(point)]);
    return edge(point + column);
}

void HistogramPlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindData, dark);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(color);
    m_cutText->setColor(palette().color(QPalette::Text));
}

} // namespace kernscope::ui

#include "moc_histogram_plot.cpp"
