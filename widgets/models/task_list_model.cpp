// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/task_list_model.h"

#include "core/form/operand_place.h"
#include "widgets/models/theme.h"

#include <algorithm>

namespace kernscope::ui {

TaskListModel::TaskListModel(QObject *parent) : RowTable(report::taskTable(), parent) {}

/// Marks a task whose records do not end where it ends.
QVariant TaskListModel::lookOf(std::size_t row, int column, int role) const
{
    if (rows()[row].exact)
        return {};
    if (role == Qt::ToolTipRole)
        return tr("Its records do not end where the task ends.");
    return role == Qt::DisplayRole && keyOf(column) == "index"
               ? QString::number(rows()[row].index) + u' ' + theme::glyph(Token::MarkContested)
               : QVariant();
}

const TaskRow *TaskListModel::taskAt(int row) const
{
    return row < 0 || row >= rowCount() ? nullptr : &rowAt(row);
}

std::size_t TaskListModel::numberAt(int row) const
{
    return row < 0 || row >= rowCount() ? kNoIndex : sourceRow(row);
}

std::size_t TaskListModel::taskOfByte(FileOffset offset) const
{
    const auto behind = std::upper_bound(
        rows().begin(), rows().end(), offset.value,
        [](std::uint64_t at, const TaskRow &task) { return at < task.fileOffset; });
    if (behind == rows().begin())
        return kNoIndex;
    const TaskRow &task = *std::prev(behind);
    return offset.value - task.fileOffset < task.bytes
               ? static_cast<std::size_t>(std::prev(behind) - rows().begin())
               : kNoIndex;
}

} // namespace kernscope::ui

#include "moc_task_list_model.cpp"
