// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/hardware_models.h"

#include "widgets/models/theme.h"

namespace kernscope::ui {

std::size_t GroupModel::rowsWithoutCopies() const
{
    return static_cast<std::size_t>(std::ranges::find_if(rows(), &GroupRow::copy) - rows().begin());
}

int GroupModel::rowOfChannel(std::uint64_t channel) const
{
    for (std::size_t i = 0; i < rows().size(); ++i) {
        const auto &runs = rows()[i].runs;
        if (std::ranges::any_of(runs, [channel](const ChannelRun &run) {
                return channel >= run.first && channel - run.first < run.count;
            }))
            return static_cast<int>(i);
    }
    return -1;
}

int GroupModel::rowOfByte(FileOffset offset) const
{
    const auto row = std::ranges::find_if(
        rows(), [offset](const GroupRow &group) { return group.bytes.contains(offset); });
    return row == rows().end() ? -1 : static_cast<int>(row - rows().begin());
}

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

#include "moc_hardware_models.cpp"
