// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/chip_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// The chips and their hardware-abstraction tables: searchable, two chips beside each other, every
/// value with its source; what is unknown says so.
class TargetsDock final : public Dock
{
    Q_OBJECT

public:
    explicit TargetsDock(Session &session, QWidget *parent = nullptr);

    RowTableModel &model() { return *m_model; }
    QLineEdit &filter() { return *m_filter; }
    ChipBox &first() { return *m_first; }
    ChipBox &second() { return *m_second; }

protected:
    void refresh() override;

private:
    void buildActions();

    ChipState &m_state;
    RowTable<report::TargetFact> *m_model = nullptr;
    ChipBox *m_first = nullptr, *m_second = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyDifferent = nullptr, *m_onlyKnown = nullptr;
    QLabel *m_facts = nullptr;
    QTableView *m_table = nullptr;
};

} // namespace kernscope::ui
