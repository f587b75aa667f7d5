// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/task_reader.h"

namespace kernscope::descriptor {

struct FieldDifference {
    std::string name;
    std::optional<std::uint32_t> a, b; ///< nothing where that side has no such field
};

/// A register that two tasks leave at different values, or that only one of them sets.
struct RegisterDifference {
    std::uint32_t address = 0;
    const Register *reg = nullptr; ///< of the first task's version; null where none is named
    std::optional<std::uint32_t> a, b;
    std::vector<FieldDifference> fields; ///< those that differ
};

struct TaskDifference {
    std::size_t a = 0, b = 0;            ///< indices of the tasks
    std::vector<FieldDifference> header; ///< fields of the header that differ
    std::vector<RegisterDifference> registers;

    bool equal() const { return header.empty() && registers.empty(); }
};

/// Compares what the engine sees in two tasks: registers that either of them writes, at the values
/// that hold there (carried ones included), and header fields. Fields of the header that only say
/// where a task lies (NextPointer) are left out.
TaskDifference compareTasks(TaskReader &readerA, std::size_t a, TaskReader &readerB, std::size_t b);

inline constexpr std::size_t kNoTask = static_cast<std::size_t>(-1);

/// A task of each side that are the same one, or a task of one side alone (kNoTask).
struct TaskPair {
    std::size_t a = kNoTask, b = kNoTask;
    friend bool operator==(const TaskPair &, const TaskPair &) = default;
};

/// Aligns two lists of tasks by what they write, not by their numbers: tasks of equal content keep
/// their order; between them the pairing with the fewest differing registers. Every task is in one
/// pair, in the order of A, what only B has where B has it.
std::vector<TaskPair> alignTasks(const TaskReader &a, const TaskReader &b);

} // namespace kernscope::descriptor
