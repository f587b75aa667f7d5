// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope::report {

/// What a list shows of one task of a hardware container, in plain numbers: a hundred thousand of
/// them take few megabytes.
struct TaskRow {
    std::uint32_t text = 0;  ///< index into Container::texts
    std::uint32_t index = 0; ///< within that text
    std::uint64_t fileOffset = 0;
    std::uint32_t bytes = 0, records = 0, stream = 0;
    std::uint32_t lanes = 0;
    /// Empty: the task's registers do not say it.
    std::optional<std::uint32_t> cin, cout, kernelWidth, kernelHeight;
    bool exact = true; ///< its records end where it ends
};

/// The rows of every task of the bundle's container; stops early where `progress` is cancelled.
std::vector<TaskRow> taskRows(const Bundle &bundle, Progress &progress);
/// As the Tasks dock lists them.
const TableOf<TaskRow> &taskTable();

} // namespace kernscope::report
