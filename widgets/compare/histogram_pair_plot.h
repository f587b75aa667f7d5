// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "widgets/common/plot_widget.h"

#include <memory>
#include <vector>

class QCPAxisRect;
class QCPBars;
class QCPGraph;

namespace kernscope::ui {

/// How often each value occurs in A and in B: both histograms over one axis, counts on a
/// logarithmic scale, and below them B minus A.
class HistogramPairPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit HistogramPairPlot(QWidget *parent = nullptr);

    /// Null: nothing is known. `range`: a magnitude that most values keep within, for the view.
    void setBins(std::shared_ptr<const PairBins> bins, double range);
    void clear() { setBins(nullptr, 1); }

    int pointCount() const override { return static_cast<int>(m_points.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override;
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    struct Point {
        double from = 0, to = 0;
        std::uint64_t a = 0, b = 0;
    };
    const Point &at(int point) const { return m_points[static_cast<std::size_t>(point)]; }
    void collect(double range);
    void draw();

    std::shared_ptr<const PairBins> m_bins;
    std::vector<Point> m_points;
    QCPAxisRect *m_below = nullptr;
    QCPGraph *m_a = nullptr, *m_b = nullptr;
    QCPBars *m_more = nullptr, *m_less = nullptr;
};

} // namespace kernscope::ui
