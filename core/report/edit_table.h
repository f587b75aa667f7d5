// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/patch.h"
#include "core/report/column.h"

#include <cstdint>
#include <vector>

namespace kernscope::report {

/// An edit that was planned or made. Nothing is owned; the bundle, which names the files, may be
/// null where no file is named.
struct EditFacts {
    const Bundle *bundle = nullptr;
    const AppliedEdit *edit = nullptr;
    bool active = true; ///< false: undone, and can be redone
    /// Bytes that differ from what the files held before the edit.
    std::uint64_t changedBytes() const;
};
std::vector<EditFacts> editRows(const Bundle &bundle, const std::vector<AppliedEdit> &edits);
/// `patch` and the Patches dock.
const TableOf<EditFacts> &editTable();

} // namespace kernscope::report
