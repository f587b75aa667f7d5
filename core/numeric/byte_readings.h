// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// One reading of the bytes at a place.
struct ByteReading {
    std::string_view name;    ///< "u16"
    std::string value;        ///< empty where the file ends before the last byte of it
    std::string_view meaning; ///< "unsigned 16-bit integer"
    int longest = 0;          ///< characters of the longest value that it can have
    bool ordered = false;     ///< of several bytes, so that their order counts
};

/// The bytes in every reading that weights use, the lowest byte of a number first or (`big`) the
/// highest. Always the same rows in the same order. `bytes` may hold fewer than eight bytes.
std::vector<ByteReading> byteReadings(std::span<const std::byte> bytes, bool big = false);

} // namespace kernscope
