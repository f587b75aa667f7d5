// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/calibration_plot.h"

#include "widgets/chips/chip_words.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QMouseEvent>

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace kernscope::ui {

namespace {

QString calibrationValue(const roofline::CalibrationRow &row, double value)
{
    return row.unit == "s" ? siWord(value, QStringLiteral("s")) : QString::number(value, 'f', 3);
}

} // namespace

CalibrationPlot::CalibrationPlot(QWidget *parent) : PlotWidget(tr("Calibration"), parent)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(QStringLiteral("eb"));
        axis->setNumberPrecision(0);
    }
    plot().xAxis->setLabel(tr("measured: s, speed-up or ratio to fp16"));
    plot().yAxis->setLabel(tr("predicted"));
    for (QCPGraph *&line : m_lines) {
        line = plot().addGraph();
        line->removeFromLegend();
    }
    const QStringList names{tr("time, within 15 %"), tr("time, off"), tr("ratio, within 15 %"),
                            tr("ratio, off")};
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        m_points[i] = plot().addGraph();
        m_points[i]->setLineStyle(QCPGraph::lsNone);
        m_points[i]->setName(names[static_cast<qsizetype>(i)]);
    }
    m_chosen = plot().addGraph();
    m_chosen->setLineStyle(QCPGraph::lsNone);
    m_chosen->removeFromLegend();
    showLegend();
}

void CalibrationPlot::setRows(const std::vector<roofline::CalibrationRow> &rows)
{
    beginData();
    m_rows = rows;
    m_order.clear();
    double low = 0, high = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const roofline::CalibrationRow &one = m_rows[i];
        if (!one.predicted || *one.predicted <= 0 || one.measured() <= 0)
            continue;
        const double least = std::min(*one.predicted, one.measured());
        low = m_order.empty() ? least : std::min(low, least);
        high = std::max({high, *one.predicted, one.measured()});
        m_order.push_back(i);
    }
    if (m_order.empty())
        low = 0.1, high = 10;
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return m_rows[a].measured() < m_rows[b].measured();
    });
    for (QCPGraph *graph : m_points)
        graph->data()->clear();
    for (int i = 0; i < pointCount(); ++i) {
        const std::size_t kind =
            (row(i).unit == "s" ? 0U : 2U) + (row(i).within().value_or(false) ? 0U : 1U);
        m_points[kind]->addData(keyOf(i), *row(i).predicted);
    }
    const double from = low / 3, to = high * 3;
    const std::array factors{1.0, 1 - roofline::kCalibrationGoal, 1 + roofline::kCalibrationGoal};
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i]->setData({from, to}, {from * factors[i], to * factors[i]}, true);
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis})
        axis->setRange(from, to);
    endData();
}

int CalibrationPlot::pointOfRow(std::size_t row) const
{
    const auto at = std::find(m_order.begin(), m_order.end(), row);
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

double CalibrationPlot::keyOf(int point) const
{
    return row(point).measured();
}

int CalibrationPlot::pointAt(double key) const
{
    int best = -1;
    double least = 0;
    for (int i = 0; i < pointCount() && key > 0; ++i) {
        const double off = std::abs(std::log(keyOf(i) / key));
        if (best < 0 || off < least)
            best = i, least = off;
    }
    return best;
}

int CalibrationPlot::nearest(const QPoint &position) const
{
    double reach = theme::em(this, 0.8);
    int found = -1;
    for (int i = 0; i < pointCount(); ++i) {
        const QPointF at(plot().xAxis->coordToPixel(keyOf(i)),
                         plot().yAxis->coordToPixel(*row(i).predicted));
        const double off = QLineF(at, position).length();
        if (off < reach)
            reach = off, found = i;
    }
    return found;
}

bool CalibrationPlot::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == &plot() && event->type() == QEvent::MouseMove) {
        const QPoint position = static_cast<QMouseEvent *>(event)->pos();
        showTipOf(nearest(position), position);
        return false;
    }
    if (watched == &plot() && event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        pick(mouse->button() == Qt::LeftButton ? nearest(mouse->pos()) : -1);
        return false;
    }
    return PlotWidget::eventFilter(watched, event);
}

QString CalibrationPlot::pointText(int point) const
{
    const roofline::CalibrationRow &one = row(point);
    QString text =
        tr("%1, %2 on %3: measured %4, predicted %5 (%6 times)")
            .arg(fromUtf8(one.measurement), fromUtf8(one.form), fromUtf8(one.target),
                 calibrationValue(one, one.measured()), calibrationValue(one, *one.predicted))
            .arg(one.ratio().value_or(0), 0, 'f', 2);
    for (const auto &[words, said] :
         {std::pair{tr("condition"), one.condition}, std::pair{tr("source"), one.source},
          std::pair{tr("made of"), one.basis}, std::pair{tr("fitted on"), one.fittedOn},
          std::pair{tr("the model lacks"), one.missing},
          std::pair{tr("what shows it"), one.missingEvidence}}) {
        if (!said.empty())
            text += QStringLiteral("\n%1: %2").arg(words, fromUtf8(said));
    }
    return text;
}

QVariant CalibrationPlot::cellData(int point, int column, int role) const
{
    return m_columns.cell(column, row(point), role);
}

void CalibrationPlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    QColor faint = palette().color(QPalette::Text);
    m_lines[0]->setPen(QPen(faint, 1.4));
    faint.setAlpha(110);
    m_lines[1]->setPen(QPen(faint, 1, Qt::DashLine));
    m_lines[2]->setPen(QPen(faint, 1, Qt::DashLine));
    constexpr double kSize = 9;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const bool off = i % 2 == 1;
        const QColor color = theme::color(i < 2 ? Token::KindData : Token::KindValues, dark);
        m_points[i]->setScatterStyle(
            QCPScatterStyle(i < 2 ? QCPScatterStyle::ssCircle : QCPScatterStyle::ssSquare,
                            QPen(color, 1.5), off ? ground : color, kSize));
    }
    m_chosen->data()->clear();
    m_chosen->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                              QPen(theme::color(Token::MarkChanged, dark), 2),
                                              Qt::NoBrush, 2 * kSize));
    if (currentPoint() >= 0)
        m_chosen->addData(keyOf(currentPoint()), *row(currentPoint()).predicted);
}

} // namespace kernscope::ui

#include "moc_calibration_plot.cpp"
