// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/ranges_dock.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

RangesDock::RangesDock(Session &session, QWidget *parent)
    : Dock(session, u"ranges"_s, tr("Ranges"), parent),
      m_model(new RowTable<report::RangeFacts>(report::rangeTable, this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_table = makeTable(content, tr("Ranges of bytes that differ"), m_model,
                        {10, 6.5, 5, 6.5, 5, 8, 16, 12});
    m_table->setMinimumHeight(theme::em(this, 4));
    column->addWidget(m_table, 1);
    auto *copy = copyAction(m_table, tr("Copy Ranges"), m_table);
    auto *save = exportAction(this, session, tr("Export Ranges\u2026"), *m_model, "ranges");
    m_again = dockAction(this, tr("List Ranges Again"), {}, [this] {
        m_cancelled = false;
        scheduleRefresh();
    });
    m_again->setToolTip(tr("Start what was cancelled anew"));
    m_again->setEnabled(false);
    m_table->addActions({m_again, save});
    m_actions = {m_again, copy, save};
    setCompareTask({m_again}, CompareTask::Limits);
    setCompareTask({copy, save}, CompareTask::Export);
    setContent(content, m_table);
    // A table that gets the focus selects nothing, and several rows are selected to be copied.
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        if (!m_following && rows.size() == 1)
            Q_EMIT rangeWanted(m_model->rowAt(rows.front().row()).run);
    });
    connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex &index) {
        Q_EMIT rangeWanted(m_model->rowAt(index.row()).run);
        Q_EMIT raiseRequested(u"bytes"_s);
    });
    m_task.whenCancelled([this] { setCancelled(); });
    connect(&session, &Session::otherChanged, this, &RangesDock::scheduleRefresh);
    // Differences of other bytes are none of these.
    for (const auto changed :
         {&Session::bundleChanged, &Session::bytesChanged, &Session::otherChanged})
        connect(&session, changed, this, &RangesDock::forget);
}

void RangesDock::forget()
{
    m_task.stop();
    m_bytes = nullptr;
    m_differences = nullptr;
    m_cancelled = false;
}

void RangesDock::setDifferences(const AlignedBytesPtr &bytes,
                                const std::shared_ptr<const ByteDifferences> &differences,
                                bool documentIsB)
{
    forget();
    m_bytes = bytes;
    m_differences = differences;
    m_documentIsB = documentIsB;
    m_waiting = false;
    scheduleRefresh();
}

void RangesDock::setCancelled()
{
    m_waiting = false;
    m_cancelled = true;
    scheduleRefresh();
}

void RangesDock::refresh()
{
    const bool both = session().bundle() && session().other();
    m_again->setEnabled(both && m_cancelled);
    if (m_differences && m_listed == m_differences)
        return; // shown by now
    m_listed = nullptr;
    m_model->setRows({});
    if (!both) {
        showMessage(needsPair());
    } else if (m_cancelled) {
        showMessage(tr("The comparison was cancelled."));
    } else if (m_differences) {
        list();
    } else {
        showMessage(tr("Comparing the bytes of both bundles\u2026"));
        m_waiting = true;
        Q_EMIT differencesWanted();
    }
}

void RangesDock::list()
{
    showMessage(tr("Listing the ranges of bytes that differ\u2026"));
    m_task.start(
        tr("Listing ranges of bytes"),
        [bytes = m_bytes, differences = m_differences](Progress &progress) {
            return report::differentRanges(*bytes, *differences, report::RangeList::kMostRanges,
                                           progress);
        },
        [this](std::optional<report::RangeList> list) { showList(std::move(list)); });
}

void RangesDock::showList(std::optional<report::RangeList> list)
{
    if (!list)
        return;
    m_listed = m_differences;
    const auto count = list->rows.size();
    setNote(list->cut ? tr("the first %1 ranges").arg(groupedNumber(count))
                      : countedWords(count, tr("1 range"), tr("%1 ranges")));
    m_model->setRows(std::move(list->rows));
    if (count == 0)
        return showMessage(tr("Every byte is the same."));
    hideAbsentColumns(*m_table->horizontalHeader(), *m_model);
    widenForNumbers(m_table);
    showContent();
    followPlace();
}

/// Marks the range that holds the first byte of the place, if one does.
void RangesDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_bytes || !m_listed || !place.bytes)
        return;
    const std::uint64_t offset = place.bytes->offset.value;
    const auto at = m_bytes->alignment.placeOf(!m_documentIsB, place.file, offset);
    for (std::size_t row = 0; row < m_model->rows().size(); ++row) {
        const report::RangeFacts &range = m_model->rows()[row];
        const auto &first = m_documentIsB ? range.offsetB : range.offsetA;
        const std::uint64_t bytes = m_documentIsB ? range.bytesB : range.bytesA;
        const int shown = m_model->rowOf(row);
        if (range.run.segment != at.segment || !first || offset < *first ||
            offset - *first >= bytes || shown < 0)
            continue;
        m_following = true;
        chooseRow(m_table, m_model->index(shown, 0));
        m_following = false;
        return;
    }
}

} // namespace kernscope::ui

#include "moc_ranges_dock.cpp"
