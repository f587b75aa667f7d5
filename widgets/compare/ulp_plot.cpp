// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/ulp_plot.h"

#include "widgets/common/counted_words.h"
#include "widgets/compare/difference_tiles.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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
    plot().yAxis->setLabel(tr("elements"));
    plot().yAxis->setSubTicks(false);
    plot().xAxis->setSubTicks(false);
    clear();
}

void UlpPlot::setDifference(const ValueDifference &difference)
{
    m_elements = difference.elements();
    show(difference.ulpHistogram, difference.ulpType);
}

void UlpPlot::clear()
{
    m_elements = 0;
    show(std::vector<std::uint64_t>(ulpBins(ElementType::Fp16)), ElementType::Fp16);
}

void UlpPlot::show(std::vector<std::uint64_t> counts, ElementType type)
{
    beginData();
    m_counts = std::move(counts);
    QVector<double> keys, heights;
    for (int bin = 1; bin < bins(); ++bin) {
        keys.append(bin);
        heights.append(static_cast<double>(m_counts[static_cast<std::size_t>(bin)]));
    }
    m_equal->setData({0.0}, {static_cast<double>(m_counts[0])}, true);
    m_bars->setData(keys, heights, true);
    plot().xAxis->setRange(-0.7, bins() - 0.3);
    plot().xAxis->setLabel(
        tr("%1 steps apart, from").arg(QString::fromUtf8(elementTypeName(type))));
    labelCounts(*std::max_element(m_counts.begin(), m_counts.end()));
    labelTicks();
    endData();
}

/// A label at every power of ten, in figures: an exponent of one digit hides what the ticks
/// between two powers stand for.
void UlpPlot::labelCounts(std::uint64_t most)
{
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    const double top = std::max(10.0, 2.0 * static_cast<double>(most));
    const int decades = static_cast<int>(std::log10(top));
    const int stride = 1 + decades / 7;
    for (int power = 0; power <= decades; power += stride) {
        const QLatin1String unit = power < 3   ? QLatin1String()
                                   : power < 6 ? QLatin1String("k")
                                   : power < 9 ? QLatin1String("M")
                                               : QLatin1String("G");
        const int below = std::min(power / 3 * 3, 9);
        ticker->addTick(std::pow(10.0, power),
                        QString::number(std::pow(10.0, power - below), 'f', 0) + unit);
    }
    plot().yAxis->setTicker(ticker);
    plot().yAxis->setRange(0.5, top);
}

std::uint64_t UlpPlot::firstOf(int bin)
{
    return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
}

std::uint64_t UlpPlot::lastOf(int bin)
{
    return bin == 0 ? 0 : firstOf(bin) - 1 + firstOf(bin);
}

/// As many labels as the width has room for.
void UlpPlot::labelTicks()
{
    const int room = std::max(1, width() - theme::em(this, 4));
    const int most = std::max(1, room / theme::em(this, 2.2));
    const int stride = (bins() + most - 1) / most;
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (int bin = 0; bin < bins(); bin += stride) {
        const std::uint64_t first = firstOf(bin);
        const int shift = first < 1024 ? 0 : first < (1u << 20) ? 10 : first < (1u << 30) ? 20 : 30;
        static constexpr std::array kUnits{"", "Ki", "Mi", "Gi"};
        ticker->addTick(bin, QString::number(first >> shift) +
                                 QLatin1String(kUnits[static_cast<std::size_t>(shift / 10)]));
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
    return m_elements > 0 && bin >= 0 && bin < bins() ? bin : -1;
}

QString UlpPlot::pointText(int point) const
{
    const std::uint64_t count = m_counts[static_cast<std::size_t>(point)];
    const QString share = percentText(static_cast<double>(count) /
                                      static_cast<double>(std::max(m_elements, std::uint64_t{1})));
    const QString counted = countedWords(count, tr("1 element is"), tr("%1 elements are"));
    if (point == 0)
        return tr("%1 equal (%2)").arg(counted, share);
    if (point == 1)
        return tr("%1 one step apart (%2)").arg(counted, share);
    return tr("%1 %2 to %3 steps apart (%4)")
        .arg(counted, groupedNumber(firstOf(point)), groupedNumber(lastOf(point)), share);
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

#include "moc_ulp_plot.cpp"
