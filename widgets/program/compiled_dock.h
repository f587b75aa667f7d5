// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/odix_json.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// The memory plan of a compiled program: for each buffer of scratch memory its instructions to the
/// right, its bytes downwards, a rectangle a view from the instruction that makes it to the last
/// one that uses it. Two that touch the same bytes at one time would stand over each other.
class MemoryPlanView final : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryPlanView(QWidget *parent = nullptr);

    /// The rows point into a program that lives as long as they are shown.
    void setRows(std::vector<report::MemoryRow> rows);
    /// The row that is framed; -1: none.
    void setCurrent(int row);
    /// Where a row's rectangle lies; empty where its size is not known.
    QRectF rectOf(int row) const;
    /// The row at a place, of several the last; -1 where there is none.
    int rowAt(const QPointF &place) const;

    QSize sizeHint() const override;

Q_SIGNALS:
    void chosen(int row);

protected:
    bool event(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QRectF bufferRect(std::size_t buffer) const;
    QString words(int row) const;

    std::vector<report::MemoryRow> m_rows;
    std::vector<std::uint32_t> m_steps; ///< by buffer: instructions up to the end of its last view
    int m_current = -1;
};

/// What a compiled Core AI program does: its scratch memory as a picture and a table, its kernels
/// with their calls, constants and instructions.
class CompiledDock final : public Dock
{
    Q_OBJECT

public:
    explicit CompiledDock(Session &session, QWidget *parent = nullptr);

    MemoryPlanView &plan() { return *m_plan; }
    RowTable<report::MemoryRow> &memory() { return *m_memory; }
    RowTable<report::ConstantRow> &constants() { return *m_constants; }
    /// Memory plan, kernels, constants, instructions.
    QTabWidget &tabs() { return *m_tabs; }

protected:
    void refresh() override;

private:
    QTableView *page(const QString &name, RowTableModel *model, const char *file,
                     QWidget *picture = nullptr);

    RowTable<report::MemoryRow> *m_memory;
    RowTable<report::KernelRow> *m_kernels;
    RowTable<report::ConstantRow> *m_constants;
    RowTable<report::InstructionRow> *m_instructions;
    MemoryPlanView *m_plan = nullptr;
    QTabWidget *m_tabs = nullptr;
    QList<QTableView *> m_tables;
    BundlePtr m_shown; ///< rows point into its program
};

} // namespace kernscope::ui
