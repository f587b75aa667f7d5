// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_chips.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QStyledItemDelegate>

#include <algorithm>
#include <optional>

namespace kernscope::ui {

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

#include "moc_pair_chips.cpp"
