// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_figures.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/histogram_pair_plot.h"
#include "widgets/compare/pair_chips.h"
#include "widgets/compare/pair_element.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/compare/ulp_plot.h"

#include <QHeaderView>
#include <QTableWidget>

namespace kernscope::ui {

PairFigures::PairFigures(QWidget *parent) : QTabWidget(parent)
{
    setDocumentMode(true);
    setMinimumWidth(theme::em(this, 10));
    setAccessibleName(tr("Figures of the pair"));
    m_ulp = new UlpPlot(this);
    m_scatter = new ScatterPlot(this);
    m_histogram = new HistogramPairPlot(this);
    m_table = new QTableWidget(this);
    m_table->setAccessibleName(tr("Figures of the pair as a table"));
    m_table->setColumnCount(2);
    m_table->setHorizontalHeaderLabels({tr("Figure"), tr("Value")});
    prepareTable(m_table);
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    dockAction(m_table, tr("Copy Figures"), QKeySequence::Copy,
               [this] { copySelection(*m_table); });
    addTab(m_ulp, tr("ULP"));
    addTab(m_histogram, tr("Values"));
    addTab(m_scatter, tr("Scatter"));
    addTab(m_table, tr("Figures"));
    m_element = new PairElementTable(this);
    m_chips = new PairChipsTable(this);
    addTab(m_element, tr("Cell"));
    addTab(m_chips, tr("Chips"));
    connect(m_scatter, &ScatterPlot::currentPointChanged, this, [this](int point) {
        if (point >= 0)
            Q_EMIT elementPicked(m_scatter->elementOf(point));
    });
}

void PairFigures::showRow(const CompareRow &row)
{
    if (row.pair.values)
        m_ulp->setDifference(*row.pair.values);
    else
        m_ulp->clear();
    fillTable(row);
    m_weightA = row.pair.a;
    m_weightB = row.pair.b;
    m_chips->showPair(m_outcome, m_weightA, m_weightB);
}

void PairFigures::showOutcome(const ComparisonOutcomePtr &outcome)
{
    m_outcome = outcome;
    m_chips->showPair(m_outcome, m_weightA, m_weightB);
}

void PairFigures::showElement(const PairSubject &subject, const ElementReadings &readings)
{
    m_element->showElement(subject, readings);
    setValues(readings.a && readings.b
                  ? std::optional(std::pair(readings.a->value, readings.b->value))
                  : std::nullopt);
}

void PairFigures::clearElement()
{
    m_element->clearElement();
    setValues(std::nullopt);
}

void PairFigures::showBins(const std::shared_ptr<const PairBins> &bins, double range)
{
    m_scatter->setBins(bins, range);
    m_histogram->setBins(bins, range);
    setValues(m_values);
}

void PairFigures::clear()
{
    m_ulp->clear();
    m_scatter->clear();
    m_histogram->clear();
    m_values.reset();
    m_table->setRowCount(0);
    m_element->clearElement();
    m_weightA = m_weightB = kNoIndex;
    m_chips->showPair(nullptr, kNoIndex, kNoIndex);
}

void PairFigures::setValues(std::optional<std::pair<double, double>> values)
{
    m_values = values;
    m_scatter->setCurrentPoint(values ? m_scatter->pointOf(values->first, values->second) : -1);
}

void PairFigures::fillTable(const CompareRow &row)
{
    QList<std::pair<QString, QString>> cells;
    const auto add = [&](const QString &name, const QString &value) {
        cells.append({name, value});
    };
    add(tr("Weight in A"), row.onA() ? row.name : QStringLiteral("\u2013"));
    add(tr("Weight in B"),
        row.onB() ? (row.nameB.isEmpty() ? row.name : row.nameB) : QStringLiteral("\u2013"));
    add(tr("Shape of A"), QString::fromStdString(row.onA() ? shapeText(row.shapeA) : ""));
    add(tr("Shape of B"), QString::fromStdString(row.onB() ? shapeText(row.shapeB) : ""));
    add(tr("Elements"), groupedNumber(row.elements));
    for (int i = 1; i < kCompareColumns; ++i) {
        const auto column = static_cast<CompareColumn>(i);
        add(compareColumnTitle(column), compareCellText(row, column));
    }
    add(tr("In a sentence"), verdictSentence(row));
    if (!row.reason.isEmpty())
        add(tr("Why they are a pair"), row.reason);
    m_table->setRowCount(static_cast<int>(cells.size()));
    for (int i = 0; i < m_table->rowCount(); ++i) {
        m_table->setItem(i, 0, new QTableWidgetItem(cells[i].first));
        m_table->setItem(i, 1, new QTableWidgetItem(cells[i].second));
        m_table->item(i, 1)->setToolTip(cells[i].second);
    }
    m_table->resizeColumnToContents(0);
}

} // namespace kernscope::ui
