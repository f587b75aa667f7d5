// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mlir/module.h"
#include "core/format/record_fields.h"

#include <optional>

namespace kernscope::mlir {

/// What a byte of a module is: "attribute 12 (serialization.dense_elements): data", "operation 5
/// (conv2d_v1)", "string 3", "resource dense_resource: data". O(log entries), and the fields of one
/// entry. Nothing where no table says it.
std::optional<format::PlacedField> fieldAt(const Module &module, FileOffset offset);

} // namespace kernscope::mlir
