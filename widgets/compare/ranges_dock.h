// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/places_table.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

/// The ranges of bytes in which two bundles differ, as a list: where they are on either side, and
/// the weight and part that they belong to. Choosing one goes there in both bundles.
class RangesDock : public Dock
{
    Q_OBJECT

public:
    explicit RangesDock(Session &session, QWidget *parent = nullptr);

    /// What the bytes side by side found; null: not known (any more). `documentIsB`: the document
    /// is their B.
    void setDifferences(const AlignedBytesPtr &bytes,
                        const std::shared_ptr<const ByteDifferences> &differences,
                        bool documentIsB);
    /// A person cancelled the comparison that it waits for.
    void setCancelled();

    QTableView *table() const { return m_table; }
    const RowTable<report::RangeFacts> &model() const { return *m_model; }

Q_SIGNALS:
    /// The dock is on view and needs the differences.
    void differencesWanted();
    void rangeWanted(const kernscope::DifferenceRun &run);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override { return m_waiting || m_task.running(); }

private:
    void list();
    void showList(std::optional<report::RangeList> list);
    void forget();

    RowTable<report::RangeFacts> *m_model = nullptr;
    QTableView *m_table = nullptr;
    QAction *m_again = nullptr;
    AlignedBytesPtr m_bytes;
    std::shared_ptr<const ByteDifferences> m_differences;
    std::shared_ptr<const ByteDifferences> m_listed; ///< what the rows are of
    Job m_task{session().tasks()};
    bool m_documentIsB = false;
    bool m_waiting = false; ///< for the differences
    bool m_cancelled = false, m_following = false;
};

} // namespace kernscope::ui
