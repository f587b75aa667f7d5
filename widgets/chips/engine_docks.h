// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/chip_table.h"
#include "core/report/collective_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"
#include "widgets/models/chip_models.h"

namespace kernscope::ui {

/// The chips and their hardware-abstraction tables: searchable, two chips beside each other, every
/// value with its source; what is unknown says so.
class TargetsDock final : public Dock
{
    Q_OBJECT

public:
    explicit TargetsDock(Session &session, QWidget *parent = nullptr);

    RowTableModel &model() { return *m_model; }
    QLineEdit &filter() { return *m_filter; }
    ChipBox &first() { return *m_first; }
    ChipBox &second() { return *m_second; }

protected:
    void refresh() override;

private:
    void buildActions();

    ChipState &m_state;
    RowTable<report::TargetFact> *m_model = nullptr;
    ChipBox *m_first = nullptr, *m_second = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyDifferent = nullptr, *m_onlyKnown = nullptr;
    QLabel *m_facts = nullptr;
    QTableView *m_table = nullptr;
};

/// The multi-die collective layer of chapter 36, computed: reductions, atomics, mesh indices,
/// sharding, capability bytes. Predicted throughout: no chip that anyone has read runs it.
class CollectiveDock final : public Dock
{
    Q_OBJECT

public:
    explicit CollectiveDock(Session &session, QWidget *parent = nullptr);

    EngineFactModel &model() { return *m_model; }
    /// Figures, setters of the collective DMA, members and rules.
    QTabWidget &tabs() { return *m_tabs; }
    QLineEdit &extents() { return *m_extents; }
    QLineEdit &device() { return *m_device; }

protected:
    void refresh() override;

private:
    QWidget *buildInputs(QWidget *content);
    template <class Row>
    void addRows(const QString &name, const report::TableOf<Row> &table, std::span<const Row> rows);
    QLineEdit *field(QWidget *parent, const QString &name, const QString &text);
    QSpinBox *spin(QWidget *parent, const QString &name, int value, int most);
    /// What the fields say.
    report::CollectiveAsked asked() const;

    ChipState &m_state;
    QLineEdit *m_extents = nullptr, *m_device = nullptr, *m_tensor = nullptr, *m_axes = nullptr;
    QSpinBox *m_dieAxis = nullptr, *m_engines = nullptr, *m_index = nullptr, *m_reduction = nullptr,
             *m_dataType = nullptr;
    EngineFactModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QTabWidget *m_tabs = nullptr;
};

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
