// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/analysis/reduction.h"
#include "widgets/common/plot_widget.h"

class QCPGraph;

namespace kernscope::ui {

/// What rounding costs, tile by tile: how far the engine's accumulator is from the exact sum up to
/// there, beside how far an accumulator of fp16 would be.
class ReductionPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit ReductionPlot(QWidget *parent = nullptr);

    void setTrace(codec::ReductionTrace trace);

    int pointCount() const override { return static_cast<int>(m_trace.tiles.size()); }
    QString pointText(int point) const override;
    QStringList columns() const override;
    QVariant cell(int point, int column) const override;

protected:
    double keyOf(int point) const override { return point; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    const codec::ReductionTrace::Tile &tile(int point) const
    {
        return m_trace.tiles[static_cast<std::size_t>(point)];
    }

    codec::ReductionTrace m_trace;
    QCPGraph *m_engine = nullptr, *m_half = nullptr, *m_aligned = nullptr, *m_contested = nullptr;
};

} // namespace kernscope::ui
