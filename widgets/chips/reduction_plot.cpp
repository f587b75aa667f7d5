// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/reduction_plot.h"

#include "core/codec/decode/decoder.h"
#include "widgets/common/plot_tickers.h"
#include "widgets/common/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

ReductionPlot::ReductionPlot(QWidget *parent) : PlotWidget(tr("Rounding by position"), parent)
{
    const auto graph = [this](const QString &name) {
        QCPGraph *made = plot().addGraph();
        made->setName(name);
        made->setAdaptiveSampling(true);
        return made;
    };
    m_half = graph(tr("an accumulator of fp16"));
    m_aligned = graph(tr("contested: the second reading (12 aligned bits)"));
    m_engine = graph(tr("the engine"));
    m_contested = graph(tr("contested: a partial sum of 2048 to 4095"));
    m_half->setLineStyle(QCPGraph::lsStepLeft);
    m_aligned->setLineStyle(QCPGraph::lsStepLeft);
    m_engine->setLineStyle(QCPGraph::lsStepLeft);
    m_contested->setLineStyle(QCPGraph::lsNone);
    plot().xAxis->setLabel(tr("tile of four values"));
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setLabel(tr("sum so far, minus the exact one"));
    showLegend();
}

void ReductionPlot::setTrace(codec::ReductionTrace trace)
{
    beginData();
    m_trace = std::move(trace);
    for (QCPGraph *graph : {m_engine, m_half, m_aligned, m_contested})
        graph->data()->clear();
    double low = 0, high = 0;
    const auto add = [&](QCPGraph *graph, int at, double value) {
        if (!std::isfinite(value))
            return;
        graph->addData(at, value);
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (int i = 0; i < pointCount(); ++i) {
        const double engine = static_cast<double>(tile(i).accumulator) - tile(i).exact;
        add(m_engine, i, engine);
        add(m_half, i, static_cast<double>(tile(i).everyStep) - tile(i).exact);
        add(m_aligned, i, static_cast<double>(tile(i).alignedAccumulator) - tile(i).exact);
        if (tile(i).contested)
            add(m_contested, i, engine);
    }
    const double margin = high > low ? 0.08 * (high - low) : 1;
    m_aligned->setVisible(m_trace.readingsDiffer());
    if (m_trace.readingsDiffer())
        m_aligned->addToLegend();
    else
        m_aligned->removeFromLegend();
    plot().yAxis->setRange(low - margin, high + margin);
    plot().xAxis->setRange(-0.5, std::max(0.5, pointCount() - 0.5));
    endData();
}

int ReductionPlot::pointAt(double key) const
{
    const double nearest = std::round(key);
    return nearest >= 0 && nearest < pointCount() ? static_cast<int>(nearest) : -1;
}

QString ReductionPlot::pointText(int point) const
{
    const auto &one = tile(point);
    QString text = tr("tile %1: sum %2; accumulator %3, exact %4, of fp16 %5")
                       .arg(point)
                       .arg(static_cast<double>(one.sum))
                       .arg(static_cast<double>(one.accumulator))
                       .arg(one.exact)
                       .arg(static_cast<double>(one.everyStep));
    if (m_trace.readingsDiffer())
        text += tr("\n\u2260 by the second reading: sum %1; accumulator %2")
                    .arg(static_cast<double>(one.alignedSum))
                    .arg(static_cast<double>(one.alignedAccumulator));
    if (one.contested)
        text += tr("\n\u2260 a partial sum of 2048 to 4095: text and model disagree");
    return text;
}

QVariant ReductionPlot::cellData(int point, int column, int role) const
{
    return m_columns.cell(column, {static_cast<std::size_t>(point), tile(point)}, role);
}

void ReductionPlot::applyColors(bool dark)
{
    m_engine->setPen(QPen(theme::color(Token::KindData, dark), 2));
    m_aligned->setPen(QPen(theme::color(Token::MarkContested, dark), 1.4, Qt::DotLine));
    m_half->setPen(QPen(theme::color(Token::OutFolds, dark), 1.4, Qt::DashLine));
    m_contested->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross,
                        QPen(theme::color(Token::MarkContested, dark), 1.6), Qt::NoBrush, 8));
}

} // namespace kernscope::ui

#include "moc_reduction_plot.cpp"
