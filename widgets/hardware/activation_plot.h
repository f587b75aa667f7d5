// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/activation_table.h"
#include "widgets/common/plot_widget.h"

#include <optional>

class QCPGraph;
class QCPItemStraightLine;

namespace kernscope::ui {

/// An activation table over fp16: the function within its knots and, dashed, outside them; the 33
/// knots as points that can be walked; the clamps as vertical lines.
class ActivationPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ActivationPlot(QWidget *parent = nullptr);

    void setTable(std::optional<format::ActivationTable> table,
                  format::ActivationArithmetic arithmetic, format::ActivationTail tail);

    int pointCount() const override;
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    void fill(double from, double to, QCPGraph *graph, bool inside);
    double valueAt(double input) const;
    double knot(int point) const;

    std::optional<format::ActivationTable> m_table;
    format::ActivationArithmetic m_arithmetic = format::ActivationArithmetic::Exact;
    format::ActivationTail m_tail = format::ActivationTail::Clamp;
    QCPGraph *m_inside = nullptr, *m_left = nullptr, *m_right = nullptr, *m_knots = nullptr;
    QCPItemStraightLine *m_low = nullptr, *m_high = nullptr;
};

} // namespace kernscope::ui
