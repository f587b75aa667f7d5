// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/report/section_json.h"
#include "core/report/task_table.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// A register or field in every task of a text section, a row each.
class FieldModel final : public RowTable<report::FieldRow>
{
public:
    explicit FieldModel(QObject *parent = nullptr) : RowTable(report::fieldTable(), parent) {}
};

using report::GroupRow;
using report::groupRows;

/// The groups of a weight as a table. Rows are counted as rows() has them; the table may show them
/// in another order.
class GroupModel final : public RowTable<GroupRow>
{
public:
    explicit GroupModel(QObject *parent = nullptr) : RowTable(report::groupTable(), parent) {}

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
