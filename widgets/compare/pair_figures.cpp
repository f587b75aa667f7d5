// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_figures.h"

#include "core/compare/codebook_match.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/panel_section.h"
#include "widgets/compare/channel_plot.h"
#include "widgets/compare/histogram_pair_plot.h"
#include "widgets/compare/pair_sections.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/compare/ulp_plot.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QAction>
#include <QHeaderView>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace kernscope::ui {

PairFigures::PairFigures(QWidget *parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    setAccessibleName(tr("Figures of the pair"));
    const int gap = design::space(this, design::Space::Small);
    m_column->setContentsMargins(gap, 0, gap, 0);
    m_column->setSpacing(0);
    m_verdict = new PairVerdict(this);
    m_column->addWidget(m_verdict);
    m_facts = new PairFactsPanel(this);
    m_factsSection = addSection(tr("Figures"), m_facts, 0, 0);
    buildTables();
    m_elementSection = addSection(tr("Element"), m_element, 11, 0);
    buildPlots();
    m_chipSection = addSection(tr("On chips"), m_chips, 0, 0);
    m_histogramSection = addSection(tr("Values"), m_histogram, 13, 19);
    m_histogramSection->setNote(tr("how often each occurs"));
    PanelSection *all = addSection(tr("All figures"), m_table, 18, 0);
    all->setFolded(true);
    m_toPlaces = new QAction(tr("Worst Elements\u2026"), this);
    m_toPlaces->setToolTip(tr("The channels and elements that differ most, as lists"));
    connect(m_toPlaces, &QAction::triggered, this,
            [this] { Q_EMIT dockWanted(QStringLiteral("places")); });
    m_toCodebooks = new QAction(tr("Codebooks\u2026"), this);
    m_toCodebooks->setToolTip(tr("Both codebooks, entry to entry"));
    m_toCodebooks->setVisible(false);
    connect(m_toCodebooks, &QAction::triggered, this,
            [this] { Q_EMIT dockWanted(QStringLiteral("codebooks")); });
    m_links = new QWidget(this);
    auto *links = new FlowLayout(m_links);
    links->setContentsMargins(0, gap, 0, gap);
    links->setSpacing(gap);
    m_column->addWidget(m_links);
    m_column->addStretch(1);
    addLinks({m_toPlaces, m_toCodebooks});
    clear();
}

/// `least` and `most` in ems; 0: what it needs.
PanelSection *PairFigures::addSection(const QString &title, QWidget *body, double least,
                                      double most)
{
    auto *section = new PanelSection(title, body, this);
    if (least > 0)
        body->setMinimumHeight(theme::em(this, least));
    if (most > 0) {
        body->setMaximumHeight(theme::em(this, most));
        // No taller than what is in it: where others are hidden the room would be a hole in it.
        section->layout()->setSizeConstraint(QLayout::SetMinAndMaxSize);
    }
    m_column->addWidget(section, most > 0 ? 10 : 0);
    return section;
}

void PairFigures::buildPlots()
{
    m_channels = new ChannelPlot(this);
    m_channels->setCompact(true);
    m_channelSection = addSection(tr("Error by output channel"), m_channels, 10.2, 14);
    m_worstFirst = new QAction(tr("Worst Channels First in the Inspector"), this);
    m_worstFirst->setCheckable(true);
    m_worstFirst->setToolTip(tr("Sort the bars by their height instead of by the channel"));
    m_channels->addAction(m_worstFirst);
    connect(m_worstFirst, &QAction::toggled, this, [this](bool worst) {
        m_channels->setWorstFirst(worst);
        m_channelSection->setNote(worst ? tr("worst first") : tr("in order"));
    });
    m_worstFirst->setChecked(true);
    m_ulp = new UlpPlot(this);
    m_ulpSection = addSection(tr("Steps of the type of A"), m_ulp, 10.2, 14);
    m_scatter = new ScatterPlot(this);
    m_scatterSection = addSection(tr("A against B"), m_scatter, 13, 22);
    m_histogram = new HistogramPairPlot(this);
    connect(m_scatter, &ScatterPlot::currentPointChanged, this, [this](int point) {
        if (point >= 0)
            Q_EMIT elementPicked(m_scatter->elementOf(point));
    });
    connect(m_channels, &PlotWidget::currentPointChanged, this, [this](int point) {
        if (point >= 0)
            Q_EMIT elementPicked(m_channels->elementOf(point));
    });
}

void PairFigures::buildTables()
{
    m_table = new QTableWidget(this);
    m_table->setAccessibleName(tr("Figures of the pair as a table"));
    m_table->setColumnCount(2);
    m_table->setHorizontalHeaderLabels({tr("Figure"), tr("Value")});
    prepareTable(m_table);
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    dockAction(m_table, tr("Copy Figures"), QKeySequence::Copy,
               [this] { copySelection(*m_table); });
    m_element = new PairElementTable(this);
    m_chips = new PairChipsTable(this);
}

void PairFigures::addLinks(const QList<QAction *> &actions)
{
    for (QAction *action : actions) {
        auto *button = new QToolButton(m_links);
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(action->text());
        button->setVisible(action->isVisible());
        connect(action, &QAction::changed, button,
                [action, button] { button->setVisible(action->isVisible()); });
        m_links->layout()->addWidget(button);
    }
}

void PairFigures::showRow(const report::PairRow &row)
{
    const ValueDifference *values = row.pair.values ? &*row.pair.values : nullptr;
    const bool steps = values != nullptr && values->oneType && values->elements() > 0;
    if (steps)
        m_ulp->setDifference(*values);
    else
        m_ulp->clear();
    m_verdict->showRow(row);
    m_facts->showValues(values);
    m_factsSection->setVisible(values != nullptr);
    m_ulpSection->setVisible(steps);
    m_ulpSection->setNote(values ? fromUtf8(elementTypeName(values->ulpType)) : QString());
    fillTable(row);
    m_weightA = row.pair.a;
    m_weightB = row.pair.b;
    showOutcome(m_outcome);
}

void PairFigures::showOutcome(const ComparisonOutcomePtr &outcome)
{
    m_outcome = outcome;
    m_chips->showPair(m_outcome, m_weightA, m_weightB);
    m_chipSection->setVisible(m_chips->rowCount() > 0 &&
                              (m_weightA != kNoIndex || m_weightB != kNoIndex));
}

void PairFigures::showElement(const PairSubject &subject, const ElementReadings &readings)
{
    m_element->showElement(subject, readings);
    m_elementSection->show();
    setValues(readings.a && readings.b
                  ? std::optional(std::pair(readings.a->value, readings.b->value))
                  : std::nullopt);
}

void PairFigures::clearElement()
{
    m_element->clearElement();
    m_elementSection->hide();
    setValues(std::nullopt);
}

void PairFigures::showBins(const std::shared_ptr<const PairBins> &bins, double range)
{
    m_scatter->setBins(bins);
    m_histogram->setBins(bins, range);
    m_scatterSection->setVisible(bins != nullptr);
    m_histogramSection->setVisible(bins != nullptr);
    setValues(m_values);
}

void PairFigures::showPlaces(const PairPlaces &places)
{
    const bool known = places.places && places.subject.comparable();
    m_channels->setPlaces(known ? places.places : nullptr);
    m_channelSection->setVisible(known && !places.places->worstChannels.empty());
    m_toPlaces->setVisible(m_channelSection->isVisibleTo(this));
    if (known)
        m_scatterSection->setNote(
            tr("all %1 elements").arg(groupedNumber(places.subject.weight().elements.value)));
    const PairSubject &subject = places.subject;
    m_toCodebooks->setVisible(subject.comparable() &&
                              hasCodebooks(*subject.a, *subject.b, subject.sides));
}

void PairFigures::clear()
{
    m_ulp->clear();
    showBins(nullptr, 1);
    showPlaces({});
    clearElement();
    m_verdict->clear();
    m_facts->showValues(nullptr);
    m_factsSection->hide();
    m_ulpSection->hide();
    m_table->setRowCount(0);
    m_weightA = m_weightB = kNoIndex;
    showOutcome(nullptr);
}

void PairFigures::setValues(std::optional<std::pair<double, double>> values)
{
    m_values = values;
    m_scatter->setCurrentPoint(values ? m_scatter->pointOf(values->first, values->second) : -1);
}

void PairFigures::fillTable(const report::PairRow &row)
{
    QList<std::pair<QString, QString>> cells;
    const auto add = [&](const QString &name, const QString &value) {
        cells.append({name, value});
    };
    add(tr("Weight in A"), row.onA() ? fromUtf8(row.nameA) : QStringLiteral("\u2013"));
    add(tr("Weight in B"), row.onB() ? fromUtf8(row.nameB) : QStringLiteral("\u2013"));
    add(tr("Shape of A"), QString::fromStdString(row.onA() ? shapeText(row.shapeA) : ""));
    add(tr("Shape of B"), QString::fromStdString(row.onB() ? shapeText(row.shapeB) : ""));
    add(tr("Elements"), groupedNumber(row.elements));
    for (int i = 1; i < pairColumns().count(); ++i)
        add(pairColumns().header(i, Qt::DisplayRole).toString(), pairCellText(row, i));
    add(tr("In a sentence"), verdictSentence(row));
    if (!row.reason.empty())
        add(tr("Why they are a pair"), fromUtf8(row.reason));
    m_table->setRowCount(static_cast<int>(cells.size()));
    for (int i = 0; i < m_table->rowCount(); ++i) {
        m_table->setItem(i, 0, new QTableWidgetItem(cells[i].first));
        m_table->setItem(i, 1, new QTableWidgetItem(cells[i].second));
        m_table->item(i, 1)->setToolTip(cells[i].second);
    }
    m_table->resizeColumnToContents(0);
}

} // namespace kernscope::ui

#include "moc_pair_figures.cpp"
