// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "widgets/common/plot_widget.h"

#include <array>

namespace kernscope::ui {

/// Values of A along, of B upwards, all elements in bins: how many lie in a bin is its shade. Equal
/// ones lie on the diagonal; zeroed ones on the horizontal and revived ones on the vertical axis,
/// each with a shape of its own. What lies beyond the bins stands at their edge.
class ScatterPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ScatterPlot(QWidget *parent = nullptr);

    /// Null: nothing is known.
    void setBins(std::shared_ptr<const PairBins> bins);
    void clear() { setBins(nullptr); }
    /// The first of the elements that a point stands for.
    std::uint64_t elementOf(int point) const { return at(point).element; }
    /// The point whose bin holds both values; -1 for none.
    int pointOf(double a, double b) const;

    int pointCount() const override { return static_cast<int>(m_points.size()); }
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override { return xOf(at(point)); }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    /// Bins that hold elements. Of one that is zero on a side the other bin counts.
    struct Point {
        std::size_t kind = 0;     ///< kept in both, only in A, only in B, or kFar
        std::size_t a = 0, b = 0; ///< bins; of kFar the index of PairBins::far
        std::uint64_t count = 0, element = 0;
    };
    const Point &at(int point) const { return m_points[static_cast<std::size_t>(point)]; }
    static constexpr std::size_t kFar = 3;
    const ElementPair *farOf(const Point &point) const; ///< null where it has bins
    double onAxis(ExactValue value) const
    {
        return std::clamp(static_cast<double>(value), m_bins->edge(0),
                          m_bins->edge(PairBins::kBins));
    }
    double xOf(const Point &point) const;
    double yOf(const Point &point) const;
    void collect();
    void draw();
    void frame();
    std::optional<int> nearest(const QPoint &position) const override;

    std::shared_ptr<const PairBins> m_bins;
    std::vector<Point> m_points; ///< by value of A, then of B
    QCPColorMap *m_map = nullptr;
    QCPGraph *m_few = nullptr; ///< instead of the map, where a bin would be lost to the eye
    std::array<QCPGraph *, 2> m_axes{}; ///< only in A, only in B
    QCPGraph *m_far = nullptr, *m_diagonal = nullptr, *m_current = nullptr;
};

} // namespace kernscope::ui
