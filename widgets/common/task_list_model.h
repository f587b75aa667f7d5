// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "widgets/common/chosen_rows_model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kernscope::ui {

/// What the list shows of one task, in plain numbers: a hundred thousand of them take few
/// megabytes.
struct TaskRow {
    std::uint32_t text = 0;  ///< index into Container::texts
    std::uint32_t index = 0; ///< within that text
    std::uint64_t fileOffset = 0;
    std::uint32_t bytes = 0, records = 0, stream = 0;
    std::uint32_t lanes = 0;
    /// Empty: the task's registers do not say it.
    std::optional<std::uint32_t> cin, cout, kernelWidth, kernelHeight;
    bool exact = true;
};

/// Reads the rows of every task of a container; stops early where `progress` is cancelled.
std::vector<TaskRow> readTaskRows(const Bundle &bundle, Progress &progress);

/// Every task of a hardware container, a row each. Sorting and filtering (by its
/// cells) permute row numbers.
class TaskListModel final : public ChosenRowsModel
{
    Q_OBJECT

public:
    enum Column : int {
        Number,
        Offset,
        Bytes,
        Records,
        Stream,
        Channels,
        Kernel,
        Lanes,
        ColumnCount
    };

    explicit TaskListModel(QObject *parent = nullptr);

    void setTasks(std::vector<TaskRow> tasks);
    std::size_t size() const { return m_tasks.size(); }

    const TaskRow *taskAt(int row) const; ///< null past the end
    int rowOf(std::size_t task) const;    ///< -1 where the filter hides it; `task` as read
    /// The task that holds a byte of the file, as read; kNoIndex where none does.
    std::size_t taskOfByte(FileOffset offset) const;
    std::size_t numberAt(int row) const; ///< the task as read

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void chooseRows() override;
    QString textOf(const TaskRow &task, int column) const;
    std::uint64_t numberOf(const TaskRow &task, int column) const;

    std::vector<TaskRow> m_tasks;
    std::vector<std::uint32_t> m_rows;
    std::vector<std::int32_t> m_rowOf;
};

} // namespace kernscope::ui
