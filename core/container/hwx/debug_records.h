// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/container/hwx/container.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kernscope::hwx {

/// Printable characters in a record, at least four of them.
struct DebugText {
    FileOffset offset;
    std::string text;
};

/// A run of a debug section (type 0x32), from a place that symbols name to the next such place or
/// the end of the section. Where records begin is all that is known: what they hold is not
/// published.
struct DebugRecord {
    std::uint32_t section = 0; ///< ordinal
    ByteRange bytes;           ///< in the file
    std::uint64_t address = 0;
    std::vector<std::size_t> symbols; ///< that name its start; none: bytes before the first symbol
    std::vector<DebugText> texts;
};

/// Those of all debug sections, ascending in each; together they cover the sections' bytes.
std::vector<DebugRecord> debugRecords(const Container &container, std::span<const std::byte> bytes);

} // namespace kernscope::hwx
