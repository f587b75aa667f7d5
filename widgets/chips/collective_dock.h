// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/chip_models.h"

namespace kernscope::ui {

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

} // namespace kernscope::ui
