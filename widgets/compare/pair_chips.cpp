// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_chips.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"

#include <QHeaderView>

#include <optional>

namespace kernscope::ui {

namespace {

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

} // namespace

PairChipsTable::PairChipsTable(QWidget *parent) : QTableWidget(parent)
{
    setAccessibleName(tr("What each chip does with the weight in both builds"));
    setColumnCount(5);
    setHorizontalHeaderLabels({tr("Chip"), tr("A"), tr("B"), tr("Moved, A"), tr("Moved, B")});
    horizontalHeaderItem(3)->setToolTip(tr("Bytes of the weight of A that cross in a dispatch"));
    horizontalHeaderItem(4)->setToolTip(tr("Bytes of the weight of B that cross in a dispatch"));
    prepareTable(this);
    setSortingEnabled(false);
    dockAction(this, tr("Copy Outcomes"), QKeySequence::Copy, [this] { copySelection(*this); });
}

void PairChipsTable::showPair(const ComparisonOutcomePtr &outcome, std::size_t weightA,
                              std::size_t weightB)
{
    setRowCount(0);
    if (!outcome)
        return;
    const DecisionTable &before = outcome->before, &after = outcome->after;
    setRowCount(static_cast<int>(before.columns()));
    for (std::size_t chip = 0; chip < before.columns(); ++chip) {
        const auto set = [&](int column, const QString &text, const QString &tip, bool number) {
            auto *item = new QTableWidgetItem(text);
            item->setToolTip(tip);
            if (number)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            setItem(static_cast<int>(chip), column, item);
        };
        set(0, fromUtf8(before.target(chip).name), {}, false);
        set(1, chipWord(before, weightA, chip), whyOf(before, weightA, chip), false);
        set(2, chipWord(after, weightB, chip), whyOf(after, weightB, chip), false);
        set(3, movedBytes(before, weightA, chip), {}, true);
        set(4, movedBytes(after, weightB, chip), {}, true);
    }
    resizeColumnsToContents();
}

} // namespace kernscope::ui
