// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/edit/edit_parser.h"

#include <span>

/// Bytes as a typed edit writes them: "FILE+0x40=ef be ad de".
namespace kernscope::patch {

inline constexpr std::size_t kMostTypedBytes = 4096; ///< of one edit

/// Pairs of hexadecimal digits, with or without blanks between them; 1 to kMostTypedBytes bytes.
/// Errors: "patch.syntax".
Result<std::vector<std::byte>> parseHexBytes(const Piece &text);
/// Takes "+0x40" (or a decimal number) off the end of `left`. Errors: "patch.syntax".
Result<std::uint64_t> parseFileOffset(Piece &left);

} // namespace kernscope::patch
