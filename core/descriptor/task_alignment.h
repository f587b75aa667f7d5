// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/task_diff.h"

#include <cstddef>
#include <vector>

namespace kernscope::descriptor {

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
