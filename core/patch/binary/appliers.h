// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/binary/apply_binary.h"
#include "core/patch/binary/patch_cursor.h"

/// The formats one by one; the cursor stands behind the magic.
namespace kernscope::patch {

Result<PatchedFile> applyIps(std::span<const std::byte> file, PatchCursor &patch,
                             const PatchRoom &room, Progress *progress);

/// The head of a BPS patch; the cursor then stands at the first step.
Result<BinaryPatchHead> readBpsHead(std::span<const std::byte> patch, PatchCursor &cursor);
Result<PatchedFile> applyBps(std::span<const std::byte> file, const BinaryPatchHead &head,
                             PatchCursor &patch, const PatchRoom &room, Progress *progress);

} // namespace kernscope::patch
