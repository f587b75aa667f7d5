// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/task_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

} // namespace kernscope::descriptor
