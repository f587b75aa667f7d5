// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace kernscope::search {

/// Bytes to look for, with wildcards: a byte of a file fits where (byte & mask) == value. Both
/// vectors are of one length, 1 or more; at least one bit of the mask is set.
struct BytePattern {
    std::vector<std::byte> value, mask;

    std::size_t size() const { return value.size(); }
    /// Whether the first size() bytes of `bytes` fit; they must be there.
    bool fits(std::span<const std::byte> bytes) const;
};

/// "ef be ?? de", "efbe??de" or "0xef, 0xbe": pairs of hexadecimal digits, '?' for any digit.
/// Error "search.pattern": no pairs of digits, or wildcards only.
Result<BytePattern> parseBytePattern(std::string_view text);

/// The bytes of a text as they are (UTF-8). Error "search.pattern" where it is empty.
Result<BytePattern> textPattern(std::string_view text);

/// A decimal or 0x… integer, also below zero, as `width` bytes (1, 2, 4 or 8), the lowest byte
/// first unless `bigEndian`. Errors: "search.pattern" where the text is no integer, "search.width"
/// where neither a signed nor an unsigned integer of that width holds it.
Result<BytePattern> integerPattern(std::string_view number, unsigned width, bool bigEndian);

} // namespace kernscope::search
