// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/chip_table.h"
#include "core/report/placement_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"

#include <deque>

namespace kernscope::ui {

/// Measurements along, predictions upwards, both by powers of ten; the identity line, and what is
/// within the goal beside it. Circles are times in seconds, squares ratios to dense fp16; hollow
/// where the prediction is off by more than the goal. Rows without a prediction are no points.
class CalibrationPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit CalibrationPlot(QWidget *parent = nullptr);

    void setRows(const std::vector<roofline::CalibrationRow> &rows);
    /// Index of a point in what setRows was given, and the point of a row (-1: none).
    std::size_t rowOf(int point) const { return m_order[static_cast<std::size_t>(point)]; }
    int pointOfRow(std::size_t row) const;

    int pointCount() const override { return static_cast<int>(m_order.size()); }
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    const roofline::CalibrationRow &row(int point) const
    {
        return m_rows[m_order[static_cast<std::size_t>(point)]];
    }
    std::optional<int> nearest(const QPoint &position) const override;

    std::vector<roofline::CalibrationRow> m_rows;
    std::vector<std::size_t> m_order;     ///< point -> row, by the measured figure
    std::array<QCPGraph *, 3> m_lines{};  ///< identity, and the goal below and above it
    std::array<QCPGraph *, 4> m_points{}; ///< seconds, ratios; each within, off
    QCPGraph *m_chosen = nullptr;
};

/// Every published measurement beside what the assessment predicts for that very case: a table, and
/// a scatter with the identity line. Needs no bundle; of an open one, the compiler's own estimates
/// for its layers beside ours.
class CalibrationDock final : public Dock
{
    Q_OBJECT

public:
    explicit CalibrationDock(Session &session, QWidget *parent = nullptr);

    RowTableModel &model() { return *m_model; }
    RowTableModel &estimates() { return *m_estimates; }
    CalibrationPlot &plot() { return *m_plot; }
    QCheckBox &onlyChip() { return *m_onlyChip; }
    QLabel &summary() { return *m_summary; }

protected:
    void refresh() override;

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
    Job m_task{session().tasks(), this}; ///< places the layers of a large bundle
    bool m_cut = false;                  ///< placing them was cancelled
    QWidget *m_estimatesBox = nullptr;
    QLabel *m_estimatesTitle = nullptr;
    QTableView *m_table = nullptr, *m_estimatesTable = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyChip = nullptr;
    QLabel *m_summary = nullptr;
    CalibrationPlot *m_plot = nullptr;
};

} // namespace kernscope::ui
