// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/codebook_plot.h"

#include "widgets/common/plot_tickers.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

CodebookPlot::CodebookPlot(QWidget *parent) : PlotWidget(tr("Uses of each codebook entry"), parent)
{
    const auto add = [this] {
        auto *bars = new QCPBars(plot().xAxis, plot().yAxis);
        bars->setWidth(0.8);
        bars->setAntialiased(false);
        return bars;
    };
    m_bars = add();
    m_duplicates = add();
    m_chosen = add();
    plot().xAxis->setLabel(tr("entry"));
    plot().yAxis->setLabel(tr("uses"));
    plot().xAxis->setTicker(countTicker());
    plot().yAxis->setTicker(countTicker());
}

void CodebookPlot::setEntries(std::vector<Entry> entries)
{
    beginData();
    m_entries = std::move(entries);
    QVector<double> keys[2], uses[2];
    double most = 1;
    for (int i = 0; i < pointCount(); ++i) {
        const int kind = entry(i).duplicate ? 1 : 0;
        keys[kind].append(i);
        uses[kind].append(static_cast<double>(entry(i).uses));
        most = std::max(most, static_cast<double>(entry(i).uses));
    }
    m_bars->setData(keys[0], uses[0], true);
    m_duplicates->setData(keys[1], uses[1], true);
    plot().xAxis->setRange(-0.6, std::max(1, pointCount()) - 0.4);
    plot().yAxis->setRange(0, most * 1.05);
    endData();
}

int CodebookPlot::pointAt(double key) const
{
    const double nearest = std::round(key);
    return nearest >= 0 && nearest < pointCount() ? static_cast<int>(nearest) : -1;
}

QString CodebookPlot::pointText(int point) const
{
    QString text =
        tr("entry %1: %2, used %3 times")
            .arg(point)
            .arg(QString::number(entry(point).value, 'g', 5), groupedNumber(entry(point).uses));
    if (entry(point).uses == 0)
        text += tr(", never used");
    if (entry(point).duplicate)
        text += tr(", a duplicate");
    return text;
}

QStringList CodebookPlot::columns() const
{
    return {tr("entry"), tr("value"), tr("uses"), tr("duplicate")};
}

QVariant CodebookPlot::cell(int point, int column) const
{
    switch (column) {
    case 0: return point;
    case 1: return entry(point).value;
    case 2: return static_cast<qulonglong>(entry(point).uses);
    default: return entry(point).duplicate ? tr("yes") : tr("no");
    }
}

void CodebookPlot::applyColors(bool dark)
{
    const QColor color = theme::color(Token::KindCodebook, dark);
    m_bars->setPen(Qt::NoPen);
    m_bars->setBrush(color);
    m_duplicates->setPen(QPen(color, 0));
    m_duplicates->setBrush(QBrush(color, Qt::BDiagPattern));
    m_chosen->setBrush(Qt::NoBrush);
    m_chosen->setPen(QPen(palette().color(QPalette::Text), 2));
    const int at = currentPoint();
    if (at >= 0)
        m_chosen->setData({static_cast<double>(at)}, {static_cast<double>(entry(at).uses)}, true);
    else
        m_chosen->setData({}, {}, true);
}

} // namespace kernscope::ui

#include "moc_codebook_plot.cpp"
