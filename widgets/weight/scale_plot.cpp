// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/scale_plot.h"

#include "widgets/common/plot_tickers.h"
#include "widgets/common/theme.h"
#include "widgets/weight/weight_words.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

ScalePlot::ScalePlot(QWidget *parent) : PlotWidget(tr("Scales along the channels"), parent)
{
    m_steps = plot().addGraph();
    m_steps->setLineStyle(QCPGraph::lsStepCenter);
    m_steps->setAntialiased(false);
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setLabel(tr("scale"));
    plot().yAxis->setNumberFormat(QStringLiteral("gb"));
    plot().yAxis->setNumberPrecision(2);
}

void ScalePlot::setScales(std::vector<double> scales, const QString &axis)
{
    beginData();
    m_scales = std::move(scales);
    plot().xAxis->setLabel(axis);
    QVector<double> keys, values;
    double low = 0, high = 0;
    for (int i = -1; i <= pointCount() && pointCount() > 0; ++i) {
        const double value = m_scales[static_cast<std::size_t>(std::clamp(i, 0, pointCount() - 1))];
        keys.append(std::clamp<double>(i, -0.5, pointCount() - 0.5));
        values.append(value);
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    m_steps->setData(keys, values, true);
    plot().xAxis->setRange(-0.5, std::max(0.5, pointCount() - 0.5));
    if (low == high)
        high = 1;
    plot().yAxis->setRange(low < 0 ? low * 1.05 : 0, high * 1.05);
    endData();
}

int ScalePlot::pointAt(double key) const
{
    const double nearest = std::round(key);
    return nearest >= 0 && nearest < pointCount() ? static_cast<int>(nearest) : -1;
}

QString ScalePlot::pointText(int point) const
{
    return tr("scale %1: %2").arg(point).arg(valueText(m_scales[static_cast<std::size_t>(point)]));
}

QStringList ScalePlot::columns() const
{
    return {tr("index"), tr("scale")};
}

QVariant ScalePlot::cell(int point, int column) const
{
    return column == 0 ? QVariant(point) : QVariant(m_scales[static_cast<std::size_t>(point)]);
}

void ScalePlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindScale, dark);
    QColor fill = color;
    fill.setAlpha(90);
    m_steps->setPen(QPen(color, 1));
    m_steps->setBrush(fill);
}

} // namespace kernscope::ui

#include "moc_scale_plot.cpp"
