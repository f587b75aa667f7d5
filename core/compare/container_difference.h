// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/compare/compare.h"
#include "core/descriptor/task_diff.h"

namespace kernscope::hwx {
struct Container;
}
namespace kernscope::mlir {
struct Module;
}

/// What two files say of their program beside its operations.
namespace kernscope::diff {

/// Adds ports, bindings, symbols and program states (apertures) of hardware containers that differ.
void compareHardware(const hwx::Container &a, const hwx::Container &b, ProgramDifference &result);

/// Adds operations of Core AI modules whose attributes or types differ, whatever their order:
/// flags of graphs, constraints of tensors. Constants and places in source texts do not count.
void compareModules(const mlir::Module &a, const mlir::Module &b, ProgramDifference &result);

} // namespace kernscope::diff

namespace kernscope {

/// The tasks of two hardware containers, aligned by what they write.
struct TaskComparison {
    std::size_t tasksA = 0, tasksB = 0;
    bool sameVersion = true; ///< registers of two descriptor versions are compared by address only
    /// Tasks that differ, in the order of A; kNoTask on one side: inserted or removed. Indices
    /// count over all text sections of a side.
    std::vector<descriptor::TaskDifference> differences;

    bool equal() const { return sameVersion && differences.empty(); }
};

/// Text sections pair in their order. Nothing where one of the two is no hardware container.
std::optional<TaskComparison> compareTasks(const Bundle &a, const Bundle &b);

} // namespace kernscope
