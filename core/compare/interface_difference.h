// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

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
