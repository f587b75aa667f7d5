// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"
#include "widgets/common/plot_widget.h"

#include <array>

class QCPBars;

namespace kernscope::ui {

/// How far apart the values of two weights lie, in steps of fp16: bars by powers of two, counts on
/// a logarithmic scale.
class UlpPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit UlpPlot(QWidget *parent = nullptr);

    void setDifference(const ValueDifference &difference);
    void clear();

    int pointCount() const override { return m_elements > 0 ? static_cast<int>(kBins) : 0; }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override { return point; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    static constexpr std::size_t kBins = 17;
    static std::uint32_t firstOf(int bin);
    static std::uint32_t lastOf(int bin);
    void labelTicks();

    std::array<std::uint64_t, kBins> m_counts{};
    std::uint64_t m_elements = 0;
    QCPBars *m_equal = nullptr, *m_bars = nullptr;
};

} // namespace kernscope::ui
