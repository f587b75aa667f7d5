// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/reduction_dock.h"

#include "core/codec/decode/decoder.h"
#include "core/numeric/half.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/plot_canvas.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

#include <qcustomplot.h>

namespace kernscope::ui {

namespace {

/// Sixteen times B, -B and 1: how many of the ones survive.
QString triplesOf(int base)
{
    return QStringList(16, QStringLiteral("%1 -%1 1").arg(base)).join(u' ');
}

QString secondReading(const codec::ReductionTrace &trace)
{
    QString text =
        ReductionDock::tr(" \u2260 A second reading gives %1 at the port, %2 in the accumulator")
            .arg(static_cast<double>(halfToFloat(trace.aligned.port)), 0, 'g', 9)
            .arg(static_cast<double>(trace.aligned.accumulator), 0, 'g', 9);
    for (const format::Reading &reading : format::readingsOf("reduction_tile")) {
        if (!reading.taken)
            text +=
                QStringLiteral(": %1 [%2]").arg(fromUtf8(reading.text), fromUtf8(reading.source));
    }
    return text + u'.';
}

} // namespace

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
    setColumns(report::tileTable(), [this](int point) {
        return report::TileFacts{static_cast<std::size_t>(point), tile(point)};
    });
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

void ReductionPlot::applyColors(bool dark)
{
    m_engine->setPen(QPen(theme::color(Token::KindData, dark), 2));
    m_aligned->setPen(QPen(theme::color(Token::MarkContested, dark), 1.4, Qt::DotLine));
    m_half->setPen(QPen(theme::color(Token::OutFolds, dark), 1.4, Qt::DashLine));
    m_contested->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross,
                        QPen(theme::color(Token::MarkContested, dark), 1.6), Qt::NoBrush, 8));
}

ReductionDock::ReductionDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("reduction"), tr("Reduction"), parent)
{
    setShowsFiles(false);
    auto *content = new QWidget(this);
    m_values = clearableLine(content, tr("Values to add"),
                             tr("Values, as 4096 or 1*1024 (a value and how often)"));
    m_examples = named(new QComboBox(content), tr("Published cases"));
    fillExamples();
    m_result = named(selectableLabel(content), tr("Result"));
    m_plot = new ReductionPlot(content);
    m_plot->setMinimumHeight(theme::em(this, 9));
    auto *bar = laidOut(new QHBoxLayout, {{m_values, 1}, m_examples});
    m_narrow = named(new QComboBox(content), tr("Narrow the port to"));
    m_narrow->setToolTip(tr("What an fp8 output holds of the port, by what is beyond its range"));
    m_narrow->addItem(tr("fp16 port"));
    m_narrow->addItem(tr("to E4M3"), QStringLiteral("e4m3"));
    m_narrow->addItem(tr("to E5M2"), QStringLiteral("e5m2"));
    bar->addWidget(m_narrow);
    connect(m_narrow, &QComboBox::activated, this, &ReductionDock::scheduleRefresh);
    laidOut(contentColumn(content), {bar, m_result, {m_plot, 1}});
    setContent(content, m_values);
    m_values->setText(m_examples->itemData(1).toString());
    connect(m_values, &QLineEdit::textChanged, this, &ReductionDock::scheduleRefresh);
    connect(m_examples, &QComboBox::activated, this, [this](int example) {
        if (const QString values = m_examples->itemData(example).toString(); !values.isEmpty())
            m_values->setText(values);
    });
    m_actions = m_plot->plotActions();
}

void ReductionDock::fillExamples()
{
    m_examples->addItem(tr("Published cases\u2026"));
    m_examples->addItem(tr("4096 and 1024 ones: 5116"), QStringLiteral("4096 1*1024"));
    m_examples->addItem(tr("16 triples of 1024: all survive"), triplesOf(1024));
    m_examples->addItem(tr("16 triples of 4096: four survive"), triplesOf(4096));
    m_examples->addItem(tr("16 triples of 2600: contested"), triplesOf(2600));
}

void ReductionDock::refresh()
{
    std::vector<std::string> texts;
    for (const QString &word : m_values->text().replace(u',', u' ').split(u' ', Qt::SkipEmptyParts))
        texts.push_back(word.toStdString());
    const auto values = codec::parseReductionValues(texts);
    if (!values) {
        m_plot->setTrace({});
        m_result->setText(
            tr("\u201C%1\u201D cannot be read. Expected: %2.")
                .arg(fromUtf8(values.error().found), fromUtf8(values.error().expected)));
    } else if (values->empty()) {
        m_plot->setTrace({});
        m_result->setText(tr("Type the values that one output of a layer adds up."));
    } else {
        codec::ReductionTrace trace = codec::traceReduction(*values);
        QString text =
            tr("%1 values in %2 tiles. Accumulator %3, output port %4 (fp16 %5); exact %6; an "
               "accumulator of fp16 would give %7.")
                .arg(groupedNumber(values->size()), groupedNumber(trace.tiles.size()))
                .arg(static_cast<double>(trace.whole.accumulator), 0, 'g', 9)
                .arg(static_cast<double>(halfToFloat(trace.whole.port)), 0, 'g', 9)
                .arg(hexNumber(trace.whole.port, 4))
                .arg(trace.exact, 0, 'g', 12)
                .arg(static_cast<double>(trace.everyStep), 0, 'g', 9);
        if (trace.whole.isContested())
            text += tr(" \u2260 %1 tiles hold a partial sum of 2048 to 4095, where chapter 20 has "
                       "every unit survive and this order of additions loses some.")
                        .arg(groupedNumber(trace.whole.contested));
        if (trace.whole.isContested() || trace.readingsDiffer())
            text += secondReading(trace);
        const std::string type = m_narrow->currentData().toString().toStdString();
        for (const report::NarrowedPort &one : report::narrowedPort(trace, type, {})) {
            const bool infinite = type == "e5m2" && one.mode == "nan";
            text += QLatin1Char('\n') +
                    tr("As %1, overflow %2: %3 (%4).")
                        .arg(fromUtf8(type), infinite ? tr("infinite") : fromUtf8(one.mode))
                        .arg(static_cast<double>(one.value), 0, 'g', 9)
                        .arg(hexNumber(one.code, 2));
        }
        m_result->setText(text);
        m_plot->setTrace(std::move(trace));
    }
    showContent();
}

} // namespace kernscope::ui

#include "moc_reduction_dock.cpp"
