// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_sample.h"
#include "widgets/common/plot_widget.h"

#include <array>
#include <vector>

class QCPGraph;

namespace kernscope::ui {

/// Values of A along, of B upwards: equal ones lie on the diagonal, zeroed ones on the horizontal,
/// revived ones on the vertical axis, each with a shape of its own. Of large weights a sample.
class ScatterPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ScatterPlot(QWidget *parent = nullptr);

    void setSample(PairSample sample);
    void clear() { setSample({}); }
    /// Element that a point stands for.
    std::uint64_t elementOf(int point) const;
    /// The point of an element; -1 where the sample leaves it out.
    int pointOf(std::uint64_t element) const;
    bool sampled() const { return !m_sample.whole; }

    int pointCount() const override { return static_cast<int>(m_order.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    std::size_t at(int point) const { return m_order[static_cast<std::size_t>(point)]; }
    int nearest(const QPoint &position) const;
    void rescale();
    void labelAxes(double low, double high);

    PairSample m_sample;
    std::vector<std::size_t> m_order;     ///< point -> index into the sample, by value of A
    std::array<QCPGraph *, 3> m_graphs{}; ///< kept in both, only in A, only in B
    QCPGraph *m_diagonal = nullptr, *m_current = nullptr;
};

} // namespace kernscope::ui
