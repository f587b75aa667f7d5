// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_sections.h"

#include "core/bundle/bundle.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>

namespace kernscope::ui {

namespace {

/// Wraps at whatever width there is, and never widens the inspector.
QLabel *wrappedLabel(design::Type type, QWidget *parent)
{
    QLabel *label = design::label({}, type, parent);
    label->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
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
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    grid->setHorizontalSpacing(design::space(this, design::Space::Small));
    grid->setVerticalSpacing(design::space(this, design::Space::Hair));
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
    grid->setColumnMinimumWidth(2, design::space(this, design::Space::Medium));
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(4, 1);
    showValues(nullptr);
}

void PairFactsPanel::showValues(const ValueDifference *values)
{
    std::array<QString, kFigures> texts;
    texts.fill(QStringLiteral("\u2013"));
    if (values != nullptr) {
        const auto figure = [&](double number) {
            return figureText(*values, number, shortNumber(number));
        };
        texts = {figure(values->relativeRmse),
                 figureText(*values, values->snr, tr("%1 dB").arg(values->snr, 0, 'f', 1)),
                 figure(values->maxAbs),
                 figure(values->meanAbs),
                 figureText(*values, values->cosine, QString::number(values->cosine, 'f', 6)),
                 groupedNumber(values->equal),
                 groupedNumber(values->changed),
                 groupedNumber(values->zeroed),
                 groupedNumber(values->revived),
                 values->ulp() ? groupedNumber(*values->ulp()) : texts.back()};
    }
    for (std::size_t i = 0; i < kFigures; ++i)
        m_values[i]->setText(texts[i]);
}

QString PairFactsPanel::valueAt(std::size_t n) const
{
    return n < kFigures ? m_values[n]->text() : QString();
}

PairElementTable::PairElementTable(QWidget *parent)
    : QTableView(parent),
      m_facts(new RowTable<report::PickedFact>(report::pickedElementTable(), this))
{
    setAccessibleName(tr("The picked element in both builds"));
    setModel(m_facts);
    prepareTable(this);
    setSortingEnabled(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    dockAction(this, tr("Copy Element"), QKeySequence::Copy, [this] { copySelection(*this); });
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

void PairElementTable::clearElement()
{
    m_facts->setRows(
        {{report::Word{"None"}, report::Word{"Pick a cell in a picture."}, report::Nothing()}});
    resizeColumnToContents(0);
}

namespace {

constexpr int kMostChipRows = 8; ///< before it scrolls

QString chipWord(const DecisionTable &table, std::size_t weight, std::size_t chip)
{
    return weight < table.rows() ? outcomeLabel(table.verdict(weight, chip).outcome)
                                 : QStringLiteral("\u2013");
}

QString movedBytes(const DecisionTable &table, std::size_t weight, std::size_t chip)
{
    const auto bytes = weight < table.rows() ? table.bytesMoved(weight, chip) : std::nullopt;
    return bytes ? groupedNumber(*bytes) : QStringLiteral("\u2013");
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
        text += QStringLiteral("%1: %2").arg(names.join(QStringLiteral(", ")), why[i]);
    }
    if (text.size() > kMost) {
        text.resize(kMost);
        text += QStringLiteral("\u2026");
    }
    return text.join(QStringLiteral("\n\n"));
}

} // namespace

PairChipsTable::PairChipsTable(QWidget *parent) : QTableWidget(parent)
{
    setAccessibleName(tr("What each chip does with the weight in both builds"));
    setColumnCount(3);
    setHorizontalHeaderLabels({tr("Chips"), tr("A"), tr("B")});
    horizontalHeaderItem(0)->setToolTip(tr("Chips that do the same; the tool tip has all of them"));
    horizontalHeaderItem(1)->setToolTip(
        tr("What becomes of the weight of A, and its bytes that cross in a dispatch"));
    horizontalHeaderItem(2)->setToolTip(
        tr("What becomes of the weight of B, and its bytes that cross in a dispatch"));
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
        chips.join(QStringLiteral(", ")));
    const auto cell = [](const QString &word, const QString &moved) {
        return moved == QStringLiteral("\u2013") ? word : tr("%1\n%2 B").arg(word, moved);
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
        auto group = std::find_if(m_groups.begin(), m_groups.end(),
                                  [&line](const Group &each) { return each.line == line; });
        if (group == m_groups.end())
            group = m_groups.insert(m_groups.end(), Group{std::move(line), {}, {}, {}});
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

} // namespace kernscope::ui

#include "moc_pair_sections.cpp"
