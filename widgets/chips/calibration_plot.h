// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/report/calibration_table.h"
#include "widgets/common/plot_widget.h"
#include "widgets/common/window_columns.h"

#include <array>
#include <vector>

class QCPGraph;

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
    int columnCount() const override { return m_columns.count(); }
    QVariant header(int column, int role) const override { return m_columns.header(column, role); }
    QVariant cellData(int point, int column, int role) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    const roofline::CalibrationRow &row(int point) const
    {
        return m_rows[m_order[static_cast<std::size_t>(point)]];
    }
    int nearest(const QPoint &position) const;

    WindowColumns<roofline::CalibrationRow> m_columns{report::calibrationTable()};
    std::vector<roofline::CalibrationRow> m_rows;
    std::vector<std::size_t> m_order;     ///< point -> row, by the measured figure
    std::array<QCPGraph *, 3> m_lines{};  ///< identity, and the goal below and above it
    std::array<QCPGraph *, 4> m_points{}; ///< seconds, ratios; each within, off
    QCPGraph *m_chosen = nullptr;
};

} // namespace kernscope::ui
