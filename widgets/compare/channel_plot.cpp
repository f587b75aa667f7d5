// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/channel_plot.h"

#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernscope::ui {

ChannelPlot::ChannelPlot(QWidget *parent)
    : PlotWidget(tr("Largest difference by output channel"), parent)
{
    m_bars = new QCPBars(plot().xAxis, plot().yAxis);
    m_bars->setAntialiased(false);
    m_bars->setName(tr("max |\u0394|"));
    m_bars->setWidth(1); // many channels are a strip without gaps
    m_endless = new QCPBars(plot().xAxis, plot().yAxis);
    m_endless->setAntialiased(false);
    m_endless->setName(tr("not finite"));
    m_endless->setWidth(1);
    m_rmse = plot().addGraph();
    m_rmse->setLineStyle(QCPGraph::lsStepCenter);
    m_rmse->setName(tr("RMSE"));
    plot().xAxis->setSubTicks(false);
    arrange();
}

void ChannelPlot::setPlaces(WorstPlacesPtr places)
{
    beginData();
    m_places = std::move(places);
    arrange();
    endData();
}

void ChannelPlot::setWorstFirst(bool worstFirst)
{
    beginData();
    m_worstFirst = worstFirst;
    arrange();
    endData();
}

void ChannelPlot::setCompact(bool compact)
{
    m_compact = compact;
    arrange();
}

void ChannelPlot::arrange()
{
    m_order.assign(m_places ? m_places->worstChannels.size() : 0, 0);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    if (!m_worstFirst) {
        std::sort(m_order.begin(), m_order.end(), [this](std::size_t x, std::size_t y) {
            return m_places->worstChannels[x].channel < m_places->worstChannels[y].channel;
        });
    }
    QVector<double> keys, heights, rmse, endless, tops;
    double most = 0;
    for (int point = 0; point < pointCount(); ++point) {
        const double height = at(point).maxAbs;
        keys.append(keyOf(point));
        rmse.append(at(point).rmse);
        heights.append(std::isfinite(height) ? height : 0);
        most = std::max(most, heights.back());
        if (!std::isfinite(height))
            endless.append(keys.back());
    }
    plot().yAxis->setTickLabels(most > 0 || endless.isEmpty());
    most = most > 0 ? most : 1;
    tops.fill(2 * most, endless.size()); // what is not finite has a colour, and reaches to the top
    m_bars->setData(keys, heights, true);
    m_endless->setData(endless, tops, true);
    m_rmse->setData(keys, rmse, true);
    const double first = keys.isEmpty() || m_worstFirst ? 0 : keys.front();
    const double last = keys.isEmpty() ? 1 : keys.back();
    plot().xAxis->setRange(first - 0.6, last + 0.6);
    plot().yAxis->setRange(0, most * 1.08);
    // A legend would cover the bars that matter: the worst one can be anywhere.
    plot().yAxis->setLabel(m_compact ? QString() : tr("max |\u0394| (bars), RMSE (line)"));
    plot().xAxis->setLabel(m_compact      ? QString()
                           : m_worstFirst ? tr("rank of the output channel")
                                          : tr("output channel"));
}

int ChannelPlot::pointOfChannel(std::uint64_t channel) const
{
    for (int point = 0; point < pointCount(); ++point) {
        if (at(point).channel == channel)
            return point;
    }
    return -1;
}

QString ChannelPlot::pointText(int point) const
{
    const ChannelDifference &channel = at(point);
    if (!std::isfinite(channel.maxAbs))
        return tr("channel %1: not finite; %2 of %3 elements differ")
            .arg(channel.channel)
            .arg(groupedNumber(channel.different), groupedNumber(channel.elements));
    return tr("channel %1: max |\u0394| %2, RMSE %3, %4 of %5 elements differ")
        .arg(channel.channel)
        .arg(channel.maxAbs, 0, 'g', 5)
        .arg(channel.rmse, 0, 'g', 4)
        .arg(groupedNumber(channel.different), groupedNumber(channel.elements));
}

QStringList ChannelPlot::columns() const
{
    return {tr("channel"), tr("max |\u0394|"), tr("RMSE"), tr("different")};
}

QVariant ChannelPlot::cell(int point, int column) const
{
    const ChannelDifference &channel = at(point);
    switch (column) {
    case 0: return static_cast<qulonglong>(channel.channel);
    case 1: return channel.maxAbs;
    case 2: return channel.rmse;
    default: return static_cast<qulonglong>(channel.different);
    }
}

double ChannelPlot::keyOf(int point) const
{
    return m_worstFirst ? point : static_cast<double>(at(point).channel);
}

/// The nearest channel that differs.
int ChannelPlot::pointAt(double key) const
{
    if (m_order.empty())
        return -1;
    int low = 0, high = pointCount() - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (keyOf(middle) + 0.5 < key)
            low = middle + 1;
        else
            high = middle;
    }
    return std::abs(keyOf(low) - key) <= 1 ? low : -1;
}

void ChannelPlot::applyColors(bool dark)
{
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(theme::color(Token::DiffMore, dark));
    m_endless->setPen(Qt::NoPen);
    m_endless->setBrush(theme::color(Token::OutRefused, dark));
    m_rmse->setPen(QPen(theme::color(Token::DiffLess, dark), 1.4));
}

} // namespace kernscope::ui

#include "moc_channel_plot.cpp"
