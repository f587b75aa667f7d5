// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::ui {

/// How selected bytes go to the clipboard.
enum class CopyFormat : std::uint8_t { Hex, CArray, PythonBytes, NumPy };

/// Runs longer than this are not copied as text: 8 MiB.
inline constexpr std::uint64_t kMostBytesAsText = 8u << 20;

/// "9c 3f 00", sixteen a line; a C array; a Python bytes literal; a NumPy expression that gives an
/// array of `type` (uint8 where the type has no NumPy twin or the length does not divide).
QString bytesAsText(std::span<const std::byte> bytes, CopyFormat format,
                    ElementType type = ElementType::Uint8);

/// "0x40", "40h", "64", "1_000", "1,000": an offset as people type it. `text` may begin with + or
/// -, meant from `cursor`, or be "end" of `size`. Nothing where it is not a number or leaves the
/// file.
std::optional<std::uint64_t> parseOffset(const QString &text, std::uint64_t cursor,
                                         std::uint64_t size);

} // namespace kernscope::ui
