// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_element.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/theme.h"

#include <QHeaderView>

#include <algorithm>

namespace kernscope::ui {

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

} // namespace kernscope::ui

#include "moc_pair_element.cpp"
