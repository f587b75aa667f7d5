// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/report/task_table.h"
#include "widgets/models/row_table_model.h"

#include <vector>

namespace kernscope::ui {

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
