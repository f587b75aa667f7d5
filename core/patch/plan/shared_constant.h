// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/weight.h"
#include "core/container/mlir/module.h"
#include "core/patch/edit/edit.h"

/// Constants of Core AI packages, which share attributes and blobs by their bytes, whatever their
/// types are: a zero offset may be another operation's axis.
namespace kernscope::patch {

/// Whether a part of a weight can be changed where it lies: its bytes are its own, and every
/// element has some. True for other kinds of bundles. Errors: "patch.shared", with who shares them.
Result<void> checkOwnBytes(const Bundle &bundle, const Weight &weight,
                           const codec::Operand &operand);

/// The part of a weight that an edit changes; Data for its elements, whatever stores them.
codec::PartRole editedPart(const Edit &edit);
/// checkOwnBytes of that part, before anything is planned.
Result<void> checkEditedPart(const Bundle &bundle, const Weight &weight, const Edit &edit);

/// Who reads the constants of `sharing` but for `constant`: "axis of lut_to_dense at 0x4f1, …".
std::string constantReaders(const mlir::Module &module, std::uint32_t constant,
                            const std::vector<std::uint32_t> &sharing);

} // namespace kernscope::patch
