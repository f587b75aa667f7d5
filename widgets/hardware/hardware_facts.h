// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/task_diff.h"
#include "core/report/section_json.h"
#include "core/report/task_table.h"
#include "widgets/models/fact_tree_model.h"
#include "widgets/models/row_table_model.h"

/// Rows of a FactTreeModel whose cells are those of a declared table.
/// Rows of the docks about a hardware container, for FactTreeModel. All take a bundle whose
/// hardware() is not null, and read only its current bytes.

namespace kernscope::ui {

template <class Row>
std::vector<FactColumn> factColumns(const report::TableOf<Row> &table)
{
    const WindowColumns<Row> declared(table);
    std::vector<FactColumn> columns;
    for (int i = 0; i < declared.count(); ++i)
        columns.push_back({declared.header(i, Qt::DisplayRole).toString(),
                           declared.header(i, Qt::ToolTipRole).toString(),
                           declared.facts(i).number()});
    return columns;
}

/// The cells of a row, and the numbers that it sorts by. Each table of facts has a type of rows of
/// its own.
template <class Row>
FactNode factNode(const report::TableOf<Row> &table, const Row &row)
{
    static const WindowColumns<Row> declared(table);
    FactNode node;
    for (int column = 0; column < declared.count(); ++column) {
        node.cells += declared.cell(column, row, Qt::DisplayRole).toString();
        const report::SortValue sort = declared.order(column, row);
        if (const auto *number = std::get_if<std::uint64_t>(&sort))
            node.numbers.emplace_back(column, *number);
    }
    return node;
}

/// A text section with a reader over it. Keeps nothing of the bytes: the bundle must live.
struct TaskSource {
    const hwx::Text *text = nullptr;
    const hwx::SegmentSection *section = nullptr;
    std::optional<descriptor::TaskReader> reader;
};
/// Of Container::texts[text]; without a reader where that text has no bytes or no known version.
TaskSource taskSource(const Bundle &bundle, std::size_t text);

/// Registers of a task by block, the header first; a register's fields below it: registerTable.
std::vector<FactNode> registerRows(TaskSource &source, std::size_t task);

/// Every word of a task. Columns: offset, word, what.
std::vector<FactColumn> wordColumns();
std::vector<FactNode> wordRows(TaskSource &source, std::size_t task);

/// What differs between two tasks. Columns: name, A, B.
std::vector<FactColumn> differenceColumns();
std::vector<FactNode> differenceRows(const descriptor::TaskDifference &difference);

/// Header, commands and their fields: commandTable.
std::vector<FactNode> commandRows(const Bundle &bundle);
/// Symbols with what their names say: symbolTable.
std::vector<FactNode> symbolRows(const Bundle &bundle);

/// Slots, with what a load would write where one was computed: slotTable.
std::vector<FactNode> slotRows(const std::vector<hwx::Slot> &places,
                               const std::vector<hwx::LoadedSlot> &loaded);

/// The bytes of a word at `word` that hold a field's bits, and its bits among these.
ByteRange bytesOfField(std::uint64_t word, const descriptor::BitField &field);
BitRun bitsOfField(const descriptor::BitField &field);

/// A register or field in every task of a text section, a row each.
class FieldModel final : public RowTable<report::FieldRow>
{
public:
    explicit FieldModel(QObject *parent = nullptr) : RowTable(report::fieldTable, parent) {}
};

using report::GroupRow;
using report::groupRows;

/// The groups of a weight as a table. Rows are counted as rows() has them; the table may show them
/// in another order.
class GroupModel final : public RowTable<GroupRow>
{
public:
    explicit GroupModel(QObject *parent = nullptr) : RowTable(report::groupTable, parent) {}

    /// The row that makes an output channel; -1 where none does.
    int rowOfChannel(std::uint64_t channel) const;
    /// The row whose coefficients hold a byte of the file; -1 where none does.
    int rowOfByte(FileOffset offset) const;
    /// How many rows come before those of the copies.
    std::size_t rowsWithoutCopies() const;
};

using report::TaskRow;

/// Every task of a hardware container, a row each. Sorting and filtering (by its
/// cells) permute row numbers.
class TaskListModel final : public RowTable<TaskRow>
{
    Q_OBJECT

public:
    explicit TaskListModel(QObject *parent = nullptr);

    const TaskRow *taskAt(int row) const; ///< null past the end
    /// The task that holds a byte of the file, as read; kNoIndex where none does.
    std::size_t taskOfByte(FileOffset offset) const;
    std::size_t numberAt(int row) const; ///< the task as read

protected:
    QVariant lookOf(std::size_t row, int column, int role) const override;
};

} // namespace kernscope::ui
