// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/report/placement_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/common/row_table_model.h"
#include "widgets/common/task_manager.h"

#include <deque>
#include <vector>

class QAction;
class QCheckBox;
class QLabel;
class QLineEdit;
class QTableView;

namespace kernscope::ui {

class CalibrationPlot;

/// Every published measurement beside what the assessment predicts for that very case: a table, and
/// a scatter with the identity line. Needs no bundle; of an open one, the compiler's own estimates
/// for its layers beside ours.
class CalibrationDock final : public Dock
{
    Q_OBJECT

public:
    explicit CalibrationDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    RowTableModel &model() { return *m_model; }
    RowTableModel &estimates() { return *m_estimates; }
    CalibrationPlot &plot() { return *m_plot; }
    QCheckBox &onlyChip() { return *m_onlyChip; }
    QLabel &summary() { return *m_summary; }

protected:
    void refresh() override;
    bool working() const override { return m_task != nullptr; }

private:
    /// Layers that the compiler wrote an estimate for, and the bundle whose notes these are.
    struct Estimated {
        BundlePtr bundle;
        std::deque<roofline::Placement> placements;
    };
    static Estimated estimated(const BundlePtr &bundle, const roofline::Roofs &roofs,
                               const target::TargetChoice &choice, Progress *progress);
    QWidget *buildEstimates(QWidget *parent);
    void placeEstimates();
    void showEstimates(Estimated made);
    void buildActions();
    void onCurrentRow(const QModelIndex &index);
    void summarise();

    ChipState &m_state;
    RowTable<roofline::CalibrationRow> *m_model = nullptr;
    Estimated m_estimated; ///< what the rows of m_estimates point into
    RowTable<report::PlacedLayer> *m_estimates = nullptr;
    TaskPtr m_task;     ///< places the layers of a large bundle
    bool m_cut = false; ///< placing them was cancelled
    QWidget *m_estimatesBox = nullptr;
    QLabel *m_estimatesTitle = nullptr;
    QTableView *m_table = nullptr, *m_estimatesTable = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyChip = nullptr;
    QLabel *m_summary = nullptr;
    CalibrationPlot *m_plot = nullptr;
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
