// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::ui {

/// What to look for: whole bytes.
using SearchBytes = std::vector<std::byte>;

/// "9c 3f", "9c3f" or "0x9c, 0x3f"; nothing where it is not pairs of hexadecimal digits.
std::optional<SearchBytes> parseHexPattern(const QString &text);
/// UTF-8 of the text; nothing where it is empty.
std::optional<SearchBytes> parseTextPattern(const QString &text);

/// Offset of the first place at or after `from` that holds the pattern, going round at the end of
/// the file; or of the last one before `from`, going round at its start. Reads every byte at most
/// once, tells its progress in bytes, and stops early where that says so (nothing then).
std::optional<std::uint64_t> findBytes(std::span<const std::byte> bytes, const SearchBytes &pattern,
                                       std::uint64_t from, bool forward, Progress &progress);

} // namespace kernscope::ui
