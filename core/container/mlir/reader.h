// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/cursor.h"
#include "core/container/mlir/module.h"

namespace kernscope::mlir {

/// A section's header at the cursor; its data is passed over. Sections of the file, of isolated
/// regions and of dialect versions are written alike.
Section readSectionHeader(Cursor &cursor);

/// The section of operations. Adds them to `module`; none where `faults` says why.
void readOperations(Module &module, FaultState &faults);

} // namespace kernscope::mlir
