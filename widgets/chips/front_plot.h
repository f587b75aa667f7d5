// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/plan.h"
#include "core/report/plan_table.h"
#include "widgets/common/plot_widget.h"

#include <QPoint>

namespace kernscope::ui {

/// The fronts of a plan: the error of the network against stored bytes, or against the time on the
/// slowest chip. Each point is a whole plan. The plan that is shown and another build of the same
/// network are drawn in. Errors have a logarithmic axis whose foot is an error of 0; what has no
/// time is not drawn against times.
///
/// Keys: those of every plot.
class FrontPlot final : public PlotWidget
{
    Q_OBJECT

public:
    enum class Axis { Stored, Time };

    explicit FrontPlot(QWidget *parent = nullptr);

    /// `chips`: whose times they are, as report::timedChips names them; empty: the slowest chip.
    void setFront(Axis axis, std::vector<plan::FrontPoint> points, const QString &chips = {});
    /// The plan that is shown, and what the build that is open beside has; none: not drawn.
    void setPlan(const std::optional<plan::PlanTotals> &totals);
    void setOther(const QString &name, const std::optional<plan::PlanTotals> &totals);
    Axis axis() const { return m_axis; }
    const plan::FrontPoint &point(int number) const
    {
        return m_points[static_cast<std::size_t>(number)];
    }

    int pointCount() const override { return static_cast<int>(m_points.size()); }
    QString pointText(int point) const override;
    QPoint positionOf(int point) const; ///< on the screen, for tests

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    QCPGraph *addMarks(const QString &name, int shape);
    std::optional<double> costOf(const plan::PlanTotals &totals) const; ///< empty: not known
    double heightOf(double error) const
    {
        return std::max(error, m_foot);
    } ///< on the axis of errors
    void setFoot();
    std::optional<int> nearest(const QPoint &position) const override;
    void draw();

    Axis m_axis = Axis::Stored;
    std::vector<plan::FrontPoint> m_points;
    std::optional<plan::PlanTotals> m_plan, m_other;
    QString m_otherName;
    double m_foot = 1e-3; ///< where the axis of errors has its 0
    QCPGraph *m_front = nullptr, *m_planMark = nullptr, *m_otherMark = nullptr;
};

} // namespace kernscope::ui
