// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/kernels.h"
#include "core/format/kernel_unit.h"

#include <optional>
#include <string>
#include <vector>

namespace kernscope::hwx {

/// What a task's registers say about its kernel, as the six sections of a kernel unit
/// (listing 25.1). Where a section is used but its bytes lie within the slices of the lanes at a
/// place that is not published, its count and size are what the format demands.
struct TaskUnit {
    format::KernelUnit unit;
    /// One note a section that needs one: what its figures rest on, and what is contested.
    std::vector<std::pair<format::KernelUnit::SectionId, std::string>> notes;
};

/// Nothing where the task loads no kernel or its version's places are not known. Call
/// reader.before(detail.index) first.
std::optional<TaskUnit> unitOfTask(const descriptor::TaskDetail &detail,
                                   const descriptor::TaskReader &reader,
                                   const std::vector<KernelLane> &lanes);

} // namespace kernscope::hwx
