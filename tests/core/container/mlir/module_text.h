// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/module.h"

#include <cstddef>
#include <string>

namespace kernscope::test {

/// All operations in the generic form of MLIR's own printer (without locations), to be compared
/// with what the vendor's library prints; cut at about `most` bytes.
std::string moduleText(const mlir::Module &module, std::size_t most);

} // namespace kernscope::test
