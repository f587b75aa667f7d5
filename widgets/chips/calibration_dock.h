// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/common/row_table_model.h"

#include <vector>

class QAction;
class QCheckBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace kernscope::ui {

class CalibrationPlot;

/// Every published measurement beside what the assessment predicts for that very case: a table, and
/// a scatter with the identity line. Needs no bundle.
class CalibrationDock final : public Dock
{
    Q_OBJECT

public:
    explicit CalibrationDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    RowTableModel &model() { return *m_model; }
    CalibrationPlot &plot() { return *m_plot; }
    QCheckBox &onlyChip() { return *m_onlyChip; }
    QLabel &summary() { return *m_summary; }

protected:
    void refresh() override;

private:
    void buildActions();
    void onCurrentRow(const QModelIndex &index);
    void summarise();

    ChipState &m_state;
    RowTable<roofline::CalibrationRow> *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyChip = nullptr;
    QLabel *m_summary = nullptr;
    CalibrationPlot *m_plot = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
