// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/density_plot.h"

#include "widgets/common/plot_tickers.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

DensityPlot::DensityPlot(QWidget *parent) : PlotWidget(tr("Density per output channel"), parent)
{
    m_steps = plot().addGraph();
    m_steps->setLineStyle(QCPGraph::lsStepCenter);
    m_steps->setAntialiased(false);
    m_mean = new QCPItemStraightLine(&plot());
    m_mean->setVisible(false);
    m_mean->setSelectable(false);
    plot().xAxis->setLabel(tr("output channel"));
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setLabel(tr("kept (%)"));
    plot().yAxis->setRange(0, 105);
}

void DensityPlot::setDensity(std::vector<std::uint64_t> kept, std::uint64_t perChannel, bool stored,
                             const QString &axis)
{
    beginData();
    m_kept = std::move(kept);
    m_perChannel = perChannel;
    m_stored = stored;
    plot().xAxis->setLabel(axis.isEmpty() ? tr("output channel") : axis);
    plot().yAxis->setLabel(stored ? tr("kept (%)") : tr("not zero (%)"));
    QVector<double> keys, values;
    keys.reserve(pointCount() + 2);
    values.reserve(pointCount() + 2);
    // The first and last step are as wide as the others: an end point half a channel outside.
    for (int channel = -1; channel <= pointCount() && pointCount() > 0; ++channel) {
        keys.append(std::clamp<double>(channel, -0.5, pointCount() - 0.5));
        values.append(100 * density(std::clamp(channel, 0, pointCount() - 1)));
    }
    m_steps->setData(keys, values, true);
    plot().xAxis->setRange(-0.5, std::max(0.5, pointCount() - 0.5));
    m_mean->setVisible(pointCount() > 0 && perChannel > 0);
    if (m_mean->visible()) {
        double sum = 0;
        for (int channel = 0; channel < pointCount(); ++channel)
            sum += density(channel);
        const double mean = 100 * sum / pointCount();
        m_mean->point1->setCoords(0, mean);
        m_mean->point2->setCoords(1, mean);
    }
    endData();
}

double DensityPlot::density(int point) const
{
    if (m_perChannel == 0)
        return 0;
    return static_cast<double>(m_kept[static_cast<std::size_t>(point)]) /
           static_cast<double>(m_perChannel);
}

int DensityPlot::pointAt(double key) const
{
    const double nearest = std::round(key);
    return nearest >= 0 && nearest < pointCount() ? static_cast<int>(nearest) : -1;
}

QString DensityPlot::pointText(int point) const
{
    const QString text =
        m_stored ? tr("channel %1: %2 of %3 kept (%4)") : tr("channel %1: %2 of %3 not zero (%4)");
    return text.arg(point).arg(groupedNumber(m_kept[static_cast<std::size_t>(point)]),
                               groupedNumber(m_perChannel), percentText(density(point)));
}

QStringList DensityPlot::columns() const
{
    return {tr("channel"), m_stored ? tr("kept") : tr("not zero"), tr("of"), tr("density")};
}

QVariant DensityPlot::cell(int point, int column) const
{
    switch (column) {
    case 0: return point;
    case 1: return static_cast<qulonglong>(m_kept[static_cast<std::size_t>(point)]);
    case 2: return static_cast<qulonglong>(m_perChannel);
    default: return density(point);
    }
}

void DensityPlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindMask, dark);
    QColor fill = color;
    fill.setAlpha(140);
    m_steps->setPen(QPen(color, 1));
    m_steps->setBrush(fill);
    m_mean->setPen(QPen(palette().color(QPalette::Text), 0, Qt::DotLine));
}

} // namespace kernscope::ui

#include "moc_density_plot.cpp"
