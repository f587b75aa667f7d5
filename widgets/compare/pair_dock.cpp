// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_dock.h"

#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/pair_plots.h"
#include "widgets/compare/places_dock.h"
#include "widgets/compare/scatter_plot.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

/// Wraps at whatever width there is, and never widens the inspector.
QLabel *wrappedLabel(design::Type type, QWidget *parent)
{
    return giveWay(selectable(design::label({}, type, parent), Qt::PlainText));
}

/// A figure of values, or in words why it is none.
QString figureText(const ValueDifference &values, double number, const QString &text)
{
    if (values.notFinite > 0)
        return PairFactsPanel::tr("not finite");
    return std::isfinite(number) ? text : PairFactsPanel::tr("infinite");
}

} // namespace

PairVerdict::PairVerdict(QWidget *parent)
    : QWidget(parent), m_word(wrappedLabel(design::Type::Heading, this)),
      m_sentence(wrappedLabel(design::Type::Body, this)),
      m_reason(wrappedLabel(design::Type::Small, this))
{
    auto *column = new QVBoxLayout(this);
    const int gap = design::space(this, design::Space::Small);
    column->setContentsMargins(gap, gap, 0, gap);
    column->setSpacing(design::space(this, design::Space::Hair));
    for (QLabel *label : {m_word, m_sentence, m_reason})
        column->addWidget(label);
}

void PairVerdict::showRow(const report::PairRow &row)
{
    m_word->setText(verdictGlyph(row) + QLatin1Char(' ') + fromUtf8(row.verdict));
    m_sentence->setText(verdictSentence(row));
    m_reason->setText(row.reason.empty() ? QString() : tr("A pair: %1.").arg(fromUtf8(row.reason)));
    for (QLabel *label : {m_word, m_sentence, m_reason})
        label->setVisible(!label->text().isEmpty());
}

void PairVerdict::clear()
{
    for (QLabel *label : {m_word, m_sentence, m_reason})
        label->clear();
}

QString PairVerdict::text() const
{
    return m_word->text() + QLatin1Char('\n') + m_sentence->text() + QLatin1Char('\n') +
           m_reason->text();
}

PairFactsPanel::PairFactsPanel(QWidget *parent) : QWidget(parent)
{
    const std::array<QString, kFigures> names{
        tr("relative RMSE"), tr("SNR"),     tr("max |\u0394|"), tr("mean |\u0394|"), tr("cosine"),
        tr("equal"),         tr("changed"), tr("zeroed"),       tr("revived"),       tr("max ULP")};
    QGridLayout *grid = factGrid(this, design::Space::Small);
    constexpr int kRows = kFigures / 2;
    for (int i = 0; i < static_cast<int>(kFigures); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const int column = i / kRows * 3;
        auto *name = design::label(names[at], design::Type::Small, this);
        name->setWordWrap(true); // where the language needs the room of its number
        grid->addWidget(name, i % kRows, column);
        m_values[at] = new QLabel(this);
        m_values[at]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_values[at]->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_values[at]->setAccessibleName(names[at]);
        grid->addWidget(m_values[at], i % kRows, column + 1);
    }
    m_values[kLargest]->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_values[kLargest]->setTextFormat(Qt::RichText);
    connect(m_values[kLargest], &QLabel::linkActivated, this,
            [this] { Q_EMIT elementPicked(m_worst); });
    grid->setColumnMinimumWidth(2, design::space(this, design::Space::Medium));
    grid->setColumnStretch(4, 1);
    showValues(nullptr);
}

void PairFactsPanel::showValues(const ValueDifference *values)
{
    std::array<QString, kFigures> texts;
    texts.fill(u"\u2013"_s);
    if (values != nullptr) {
        const auto figure = [&](double number) {
            return figureText(*values, number, shortNumber(number));
        };
        texts = {figure(values->relativeRmse),
                 figureText(*values, values->snr,
                            tr("%1 dB").arg(fromUtf8(report::text(report::Real(values->snr, 1))))),
                 figure(values->maxAbs),
                 figure(values->meanAbs),
                 figureText(*values, values->cosine, QString::number(values->cosine, 'f', 6)),
                 groupedNumber(values->equal),
                 groupedNumber(values->changed),
                 groupedNumber(values->zeroed),
                 groupedNumber(values->revived),
                 values->ulp() ? groupedNumber(*values->ulp()) : texts.back()};
    }
    if (values != nullptr && values->worst) {
        m_worst = values->worst->element;
        texts[kLargest] = u"<a href=\"there\">%1</a>"_s.arg(texts[kLargest]);
    }
    for (std::size_t i = 0; i < kFigures; ++i)
        m_values[i]->setText(texts[i]);
}

PairElementTable::PairElementTable(QWidget *parent)
    : QTableView(parent),
      m_facts(new RowTable<report::PickedFact>(report::pickedElementTable, this))
{
    setAccessibleName(tr("The picked element in both builds"));
    setModel(m_facts);
    prepareTable(this);
    setSortingEnabled(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    copyAction(this, tr("Copy Element"), this);
    clearElement();
}

void PairElementTable::showElement(const PairSubject &subject, const ElementReadings &readings)
{
    const auto side = [&](bool ofA) {
        const std::optional<StoredElement> &stored = ofA ? readings.a : readings.b;
        report::PickedSide picked;
        if (ofA ? subject.hasA() : subject.hasB()) {
            picked.bundle = (ofA ? subject.a : subject.b).get();
            picked.weight = ofA ? subject.sides.a : subject.sides.b;
            picked.element = subject.elementOn(ofA, readings.element);
            picked.stored = stored ? &*stored : nullptr;
        }
        return picked;
    };
    m_facts->setRows(report::pickedElementRows(side(true), side(false), subject.comparable()));
    m_element = true;
    fitColumns();
}

/// No number is cut: what does not fit is scrolled to. A path may be, for its tooltip has all of
/// it. The file is the last row.
void PairElementTable::fitColumns()
{
    resizeColumnToContents(0);
    const int share = (viewport()->width() - columnWidth(0)) / 2;
    for (const int column : {1, 2}) {
        int needed = 0;
        for (int row = 0; row + 1 < m_facts->rowCount(); ++row) {
            const QString text = m_facts->index(row, column).data().toString();
            needed = std::max(needed, fontMetrics().horizontalAdvance(text));
        }
        setColumnWidth(column, std::max(share, needed + theme::em(this, 0.8)));
    }
}

/// Its scroll bar may come and go: the columns share what room there is then.
void PairElementTable::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    if (m_element)
        fitColumns();
}

void PairElementTable::clearElement()
{
    m_element = false;
    m_facts->setRows(
        {{report::Word{"None"}, report::Word{"Pick a cell in a picture."}, report::Nothing()}});
    resizeColumnToContents(0);
}

namespace {

constexpr int kMostChipRows = 8; ///< before it scrolls

QString chipWord(const DecisionTable &table, std::size_t weight, std::size_t chip)
{
    return weight < table.rows() ? outcomeLabel(table.verdict(weight, chip).outcome) : u"\u2013"_s;
}

QString movedBytes(const DecisionTable &table, std::size_t weight, std::size_t chip)
{
    const auto bytes = weight < table.rows() ? table.bytesMoved(weight, chip) : std::nullopt;
    return bytes ? groupedNumber(*bytes) : u"\u2013"_s;
}

QString whyOf(const DecisionTable &table, std::size_t weight, std::size_t chip)
{
    if (weight >= table.rows())
        return {};
    const decision::Verdict &verdict = table.verdict(weight, chip);
    QString text = fromUtf8(verdict.basis);
    if (!verdict.nearestChange.empty())
        text += QLatin1Char('\n') + fromUtf8(verdict.nearestChange);
    return text;
}

/// The reasons of the chips, each once, with the chips that it is of.
QString reasons(const QStringList &chips, const QStringList &why)
{
    constexpr qsizetype kMost = 4;
    QStringList seen, text;
    for (qsizetype i = 0; i < why.size(); ++i) {
        if (why[i].isEmpty() || seen.contains(why[i]))
            continue;
        seen += why[i];
        QStringList names;
        for (qsizetype k = i; k < why.size(); ++k) {
            if (why[k] == why[i])
                names += chips[k];
        }
        text += u"%1: %2"_s.arg(names.join(u", "_s), why[i]);
    }
    if (text.size() > kMost) {
        text.resize(kMost);
        text += u"\u2026"_s;
    }
    return text.join(u"\n\n"_s);
}

} // namespace

PairChipsTable::PairChipsTable(QWidget *parent) : QTableWidget(parent)
{
    setAccessibleName(tr("What each chip does with the weight in both builds"));
    setColumnCount(3);
    setHorizontalHeaderLabels({tr("Chips"), tr("A"), tr("B")});
    horizontalHeaderItem(0)->setToolTip(tr("Chips that do the same; the tool tip has all of them"));
    horizontalHeaderItem(1)->setToolTip(
        tr("What becomes of the weight of A, and its bytes that a call reads"));
    horizontalHeaderItem(2)->setToolTip(
        tr("What becomes of the weight of B, and its bytes that a call reads"));
    prepareTable(this);
    // Cells of two lines, the word and its bytes: that of other tables cuts names to one line.
    setItemDelegate(new QStyledItemDelegate(this));
    setWordWrap(true);
    setTextElideMode(Qt::ElideNone);
    verticalHeader()->setDefaultSectionSize(theme::em(this, 2.8));
    horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    setSortingEnabled(false);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    dockAction(this, tr("Copy Outcomes"), QKeySequence::Copy,
               [this] { QGuiApplication::clipboard()->setText(copied()); });
}

PairChipsTable::Line PairChipsTable::lineOf(const ComparisonOutcome &outcome, std::size_t weightA,
                                            std::size_t weightB, std::size_t chip)
{
    const DecisionTable &before = outcome.before, &after = outcome.after;
    return {chipWord(before, weightA, chip), chipWord(after, weightB, chip),
            movedBytes(before, weightA, chip), movedBytes(after, weightB, chip)};
}

void PairChipsTable::showGroup(int row)
{
    const auto &[line, chips, whyA, whyB] = m_groups[static_cast<std::size_t>(row)];
    const auto set = [&](int column, const QString &text, const QString &tip) {
        auto *item = new QTableWidgetItem(text);
        item->setToolTip(tip);
        setItem(row, column, item);
    };
    set(0,
        chips.size() == 1 ? chips.front()
                          : tr("%1\nand %2 more").arg(chips.front()).arg(chips.size() - 1),
        chips.join(u", "_s));
    const auto cell = [](const QString &word, const QString &moved) {
        return moved == u"\u2013"_s ? word : tr("%1\n%2 B").arg(word, moved);
    };
    set(1, cell(line.wordA, line.movedA), reasons(chips, whyA));
    set(2, cell(line.wordB, line.movedB), reasons(chips, whyB));
}

void PairChipsTable::showPair(const ComparisonOutcomePtr &outcome, std::size_t weightA,
                              std::size_t weightB)
{
    setRowCount(0);
    m_groups.clear();
    if (!outcome)
        return;
    for (std::size_t chip = 0; chip < outcome->before.columns(); ++chip) {
        Line line = lineOf(*outcome, weightA, weightB, chip);
        auto *group = findBy(m_groups, &Group::line, line);
        if (!group)
            group = &m_groups.emplace_back(Group{std::move(line), {}, {}, {}});
        group->chips += fromUtf8(outcome->before.target(chip).name);
        group->whyA += whyOf(outcome->before, weightA, chip);
        group->whyB += whyOf(outcome->after, weightB, chip);
    }
    setRowCount(static_cast<int>(m_groups.size()));
    for (int row = 0; row < rowCount(); ++row)
        showGroup(row);
    updateGeometry();
}

/// No taller than its rows: a panel has other things to show.
QSize PairChipsTable::sizeHint() const
{
    const int rows = std::clamp(rowCount(), 1, kMostChipRows);
    return {QTableWidget::sizeHint().width(), horizontalHeader()->sizeHint().height() +
                                                  rows * verticalHeader()->defaultSectionSize() +
                                                  2 * frameWidth()};
}

QString PairChipsTable::copied() const
{
    QStringList lines{
        QStringList{tr("Chip"), tr("A"), tr("B"), tr("Moved, A"), tr("Moved, B")}.join(
            QLatin1Char('\t'))};
    const QItemSelectionModel &chosen = *selectionModel();
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        if (chosen.hasSelection() && !chosen.rowIntersectsSelection(static_cast<int>(i)))
            continue;
        const auto &[line, chips, whyA, whyB] = m_groups[i];
        for (const QString &chip : chips)
            lines += QStringList{chip, line.wordA, line.wordB, line.movedA, line.movedB}.join(
                QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

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
    connect(m_facts, &PairFactsPanel::elementPicked, this, &PairFigures::elementPicked);
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
    connect(m_toPlaces, &QAction::triggered, this, [this] { Q_EMIT dockWanted(u"places"_s); });
    m_toCodebooks = new QAction(tr("Codebooks\u2026"), this);
    m_toCodebooks->setToolTip(tr("Both codebooks, entry to entry"));
    m_toCodebooks->setVisible(false);
    connect(m_toCodebooks, &QAction::triggered, this,
            [this] { Q_EMIT dockWanted(u"codebooks"_s); });
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
    m_ulpSection = addSection(tr("Steps between A and B"), m_ulp, 10.2, 14);
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
    m_table = named(new QTableWidget(this), tr("Figures of the pair as a table"));
    m_table->setColumnCount(2);
    m_table->setHorizontalHeaderLabels({tr("Figure"), tr("Value")});
    prepareTable(m_table);
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    copyAction(m_table, tr("Copy Figures"), m_table);
    m_element = new PairElementTable(this);
    m_chips = new PairChipsTable(this);
}

void PairFigures::addLinks(const QList<QAction *> &actions)
{
    for (QAction *action : actions) {
        auto *button = actionButton(action, m_links);
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
        m_scatterSection->setNote(countedWords(places.subject.weight().elements.value,
                                               tr("the only element"), tr("all %1 elements")));
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
    add(tr("Weight in A"), row.onA() ? fromUtf8(row.nameA) : u"\u2013"_s);
    add(tr("Weight in B"), row.onB() ? fromUtf8(row.nameB) : u"\u2013"_s);
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

PairDock::PairDock(Session &session, QWidget *parent)
    : Dock(session, u"pair"_s, tr("Pair"), parent), m_content(new QWidget(this))
{
    withoutMargins(new QVBoxLayout(m_content));
    setContent(m_content);
    connect(&session, &Session::otherChanged, this, &PairDock::scheduleRefresh);
}

void PairDock::inspect(CompareDock &compare)
{
    m_compare = &compare;
    m_content->layout()->addWidget(compare.figures());
    compare.figures()->show();
    connect(&compare, &CompareDock::placesChanged, this, &PairDock::setPlaces);
    connect(compare.figures(), &PairFigures::dockWanted, this, &PairDock::raiseRequested);
    connect(this, &Dock::pinnedChanged, &compare, &Dock::setPinned);
    connect(&compare, &Dock::pinnedChanged, this, &Dock::setPinned);
}

void PairDock::refresh()
{
    if (!session().bundle() || !session().other())
        showMessage(needsPair());
    else if (!m_chosen)
        showMessage(tr("Select a pair of weights in Compare to see how it differs."));
    else
        showContent();
}

/// The Compare dock does not follow while it stands behind another one, such as Builds.
void PairDock::follow(const Place &place, QObject *origin)
{
    if (m_compare != nullptr && !m_compare->onView())
        m_compare->followHidden(place, origin);
}

void PairDock::setPlaces(const PairPlaces &places)
{
    const PairSubject &subject = places.subject;
    m_chosen = subject.hasA() || subject.hasB();
    setNote(m_chosen ? fromUtf8((subject.hasA() ? subject.a->weights()[subject.sides.a]
                                                : subject.b->weights()[subject.sides.b])
                                    .name)
                     : QString());
    scheduleRefresh();
}

} // namespace kernscope::ui

#include "moc_pair_dock.cpp"
