// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/slots.h"
#include "core/descriptor/task_diff.h"
#include "widgets/models/fact_tree_model.h"
#include "widgets/models/row_table_model.h"

/// Rows of a FactTreeModel whose cells are those of a declared table.
/// Rows of the docks about a hardware container, for FactTreeModel. All take a bundle whose
/// hardware() is not null, and read only its current bytes.

namespace kernscope::ui {

template <class Row>
std::vector<FactColumn> factColumns(const WindowColumns<Row> &declared)
{
    std::vector<FactColumn> columns;
    for (int i = 0; i < declared.count(); ++i)
        columns.push_back({declared.header(i, Qt::DisplayRole).toString(),
                           declared.header(i, Qt::ToolTipRole).toString(),
                           declared.facts(i).number()});
    return columns;
}

/// The cells of a row, and the numbers that it sorts by.
template <class Row>
FactNode factNode(const WindowColumns<Row> &declared, const Row &row)
{
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

/// Registers of a task by block, the header first; a register's fields below it. Columns: name,
/// bits, value, meaning, task before, place, known.
std::vector<FactColumn> registerColumns();
std::vector<FactNode> registerRows(TaskSource &source, std::size_t task);

/// Every word of a task. Columns: offset, word, what.
std::vector<FactColumn> wordColumns();
std::vector<FactNode> wordRows(TaskSource &source, std::size_t task);

/// What differs between two tasks. Columns: name, A, B.
std::vector<FactColumn> differenceColumns();
std::vector<FactNode> differenceRows(const descriptor::TaskDifference &difference);

/// Header, commands and their fields. Columns: name, value, meaning, place.
std::vector<FactColumn> commandColumns();
std::vector<FactNode> commandRows(const Bundle &bundle);
/// Symbols with what their names say. Columns: name, kind, section, value, shape and strides.
std::vector<FactColumn> symbolColumns();
std::vector<FactNode> symbolRows(const Bundle &bundle);

/// Slots, with what a load would write where one was computed. Columns: place, task, kind,
/// register, role, target, stored, loaded, device address.
std::vector<FactColumn> slotColumns();
std::vector<FactNode> slotRows(const std::vector<hwx::Slot> &places,
                               const std::vector<hwx::LoadedSlot> &loaded);

/// The bytes of a word at `word` that hold a field's bits, and its bits among these.
ByteRange bytesOfField(std::uint64_t word, const descriptor::BitField &field);
BitRun bitsOfField(const descriptor::BitField &field);

/// "0x00000042".
QString wordText(std::uint32_t value);

} // namespace kernscope::ui
