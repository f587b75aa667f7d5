// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"
#include "widgets/common/plot_widget.h"

#include <vector>

class QCPBars;

namespace kernscope::ui {

/// How far apart the values of two weights lie, in steps of the type of A: bars by powers of two,
/// counts on a logarithmic scale.
class UlpPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit UlpPlot(QWidget *parent = nullptr);

    void setDifference(const ValueDifference &difference);
    void clear();

    int pointCount() const override { return m_elements > 0 ? bins() : 0; }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override { return point; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    static std::uint64_t firstOf(int bin);
    static std::uint64_t lastOf(int bin);
    int bins() const { return static_cast<int>(m_counts.size()); }
    void show(std::vector<std::uint64_t> counts, ElementType type);
    void labelTicks();
    void labelCounts(std::uint64_t most);

    std::vector<std::uint64_t> m_counts;
    std::uint64_t m_elements = 0;
    QCPBars *m_equal = nullptr, *m_bars = nullptr;
};

} // namespace kernscope::ui
