// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/ulp_plot.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/difference_tiles.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

UlpPlot::UlpPlot(QWidget *parent) : PlotWidget(tr("Histogram of the differences in ULP"), parent)
{
    for (QCPBars **bars : {&m_equal, &m_bars}) {
        *bars = new QCPBars(plot().xAxis, plot().yAxis);
        (*bars)->setWidth(0.8);
        (*bars)->setBaseValue(0.5);
        (*bars)->setAntialiased(false);
    }
    plot().yAxis->setScaleType(QCPAxis::stLogarithmic);
    plot().yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog));
    plot().yAxis->setNumberFormat(QStringLiteral("eb"));
    plot().yAxis->setNumberPrecision(0);
    plot().xAxis->setLabel(tr("fp16 steps apart, from"));
    plot().yAxis->setLabel(tr("elements"));
    plot().xAxis->setRange(-0.7, kBins - 0.3);
    plot().xAxis->setSubTicks(false);
    clear();
}

void UlpPlot::setDifference(const ValueDifference &difference)
{
    beginData();
    m_counts = difference.ulpHistogram;
    m_elements = difference.elements();
    QVector<double> keys, counts;
    for (int bin = 1; bin < static_cast<int>(kBins); ++bin) {
        keys.append(bin);
        counts.append(static_cast<double>(m_counts[static_cast<std::size_t>(bin)]));
    }
    m_equal->setData({0.0}, {static_cast<double>(m_counts[0])}, true);
    m_bars->setData(keys, counts, true);
    const auto most = *std::max_element(m_counts.begin(), m_counts.end());
    plot().yAxis->setRange(0.5, std::max(10.0, 2.0 * static_cast<double>(most)));
    labelTicks();
    endData();
}

void UlpPlot::clear()
{
    beginData();
    m_counts.fill(0);
    m_elements = 0;
    m_equal->data()->clear();
    m_bars->data()->clear();
    plot().yAxis->setRange(0.5, 10);
    labelTicks();
    endData();
}

std::uint32_t UlpPlot::firstOf(int bin)
{
    return bin == 0 ? 0 : std::uint32_t{1} << (bin - 1);
}

std::uint32_t UlpPlot::lastOf(int bin)
{
    return bin == 0 ? 0 : (std::uint32_t{1} << bin) - 1;
}

/// As many labels as the width has room for.
void UlpPlot::labelTicks()
{
    const int room = std::max(1, width() - theme::em(this, 4));
    const int most = std::max(1, room / theme::em(this, 2.2));
    const int stride = (static_cast<int>(kBins) + most - 1) / most;
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (int bin = 0; bin < static_cast<int>(kBins); bin += stride) {
        const std::uint32_t first = firstOf(bin);
        ticker->addTick(bin, first < 1024 ? QString::number(first)
                                          : QString::number(first / 1024) + QLatin1Char('k'));
    }
    plot().xAxis->setTicker(ticker);
}

void UlpPlot::resizeEvent(QResizeEvent *event)
{
    PlotWidget::resizeEvent(event);
    labelTicks();
}

int UlpPlot::pointAt(double key) const
{
    const int bin = static_cast<int>(std::lround(key));
    return m_elements > 0 && bin >= 0 && bin < static_cast<int>(kBins) ? bin : -1;
}

QString UlpPlot::pointText(int point) const
{
    const std::uint64_t count = m_counts[static_cast<std::size_t>(point)];
    const QString share = percentText(static_cast<double>(count) /
                                      static_cast<double>(std::max(m_elements, std::uint64_t{1})));
    if (point == 0)
        return tr("%1 elements are equal (%2)").arg(groupedNumber(count), share);
    if (point == 1)
        return tr("%1 elements are one step apart (%2)").arg(groupedNumber(count), share);
    return tr("%1 elements are %2 to %3 steps apart (%4)")
        .arg(groupedNumber(count), groupedNumber(firstOf(point)), groupedNumber(lastOf(point)),
             share);
}

QStringList UlpPlot::columns() const
{
    return {tr("from ULP"), tr("to ULP"), tr("elements")};
}

QVariant UlpPlot::cell(int point, int column) const
{
    if (column == 0)
        return static_cast<qulonglong>(firstOf(point));
    if (column == 1)
        return static_cast<qulonglong>(lastOf(point));
    return static_cast<qulonglong>(m_counts[static_cast<std::size_t>(point)]);
}

void UlpPlot::applyColors(bool dark)
{
    m_equal->setPen(Qt::NoPen);
    m_equal->setBrush(keptColor(KeptState::Both, dark));
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(theme::color(Token::DiffMore, dark));
}

} // namespace kernscope::ui
