// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/collective_table.h"
#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"
#include "widgets/models/row_table_model.h"

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

protected:
    void applyColors(bool dark) override;

private:
    const codec::ReductionTrace::Tile &tile(int point) const
    {
        return m_trace.tiles[static_cast<std::size_t>(point)];
    }

    codec::ReductionTrace m_trace;
    QCPGraph *m_engine = nullptr, *m_half = nullptr, *m_aligned = nullptr, *m_contested = nullptr;
};

/// Typed values through the engine's reduction (chapter 20): sums of the tiles, accumulator, output
/// port, what is contested, and where the rounding falls. Needs no bundle.
class ReductionDock final : public Dock
{
    Q_OBJECT

public:
    explicit ReductionDock(Session &session, QWidget *parent = nullptr);

    QLineEdit &values() { return *m_values; }
    QComboBox &examples() { return *m_examples; }
    QComboBox &narrow() { return *m_narrow; } ///< fp16, E4M3, E5M2
    QLabel &result() { return *m_result; }
    ReductionPlot &plot() { return *m_plot; }

protected:
    void refresh() override;

private:
    void fillExamples();

    QLineEdit *m_values = nullptr;
    QComboBox *m_examples = nullptr, *m_narrow = nullptr;
    QLabel *m_result = nullptr;
    ReductionPlot *m_plot = nullptr;
};

} // namespace kernscope::ui
