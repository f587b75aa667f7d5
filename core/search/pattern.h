// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"

#include <cstddef>
#include <functional>
#include <span>

namespace kernscope::search {

/// An integer of 64 bits beyond 2^53: a double may not hold it.
struct WideInteger {
    bool negative = false;
    std::uint64_t magnitude = 0;

    /// Decimal, with its sign.
    std::string text() const { return (negative ? "-" : "") + std::to_string(magnitude); }
    friend bool operator==(const WideInteger &, const WideInteger &) = default;
};

/// What an element is.
struct ElementValue {
    double value = 0;
    std::optional<WideInteger> wide; ///< where a double may not hold it
};

/// Of the 64 bits of an element; nothing where a double holds the number.
std::optional<WideInteger> wideInteger(std::int64_t code, bool isUnsigned);
/// "-9007199254740993" as it is typed, in decimal; nothing for all other text and for numbers that
/// a double holds or 64 bits do not.
std::optional<WideInteger> wideInteger(std::string_view text);

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

/// Bytes to look at, in one go.
struct Region {
    std::size_t file = 0;
    ByteRange range; ///< lies in the file
};

/// All bytes of all files, or those of a weight's parts: ascending, none twice. Literals lie in no
/// file and are left out.
std::vector<Region> regionsOf(const Bundle &bundle, std::size_t weight);

/// Takes a hit by offset in the file and length; false: no more are wanted.
using TakeBytes = std::function<bool(std::uint64_t offset, std::uint64_t length)>;

/// Calls `take` for every place of the range of the file's bytes where the whole pattern lies and
/// fits, also where such places overlap. False where `take` or the progress (in bytes) wanted no
/// more.
bool scanPattern(std::span<const std::byte> bytes, ByteRange range, const BytePattern &pattern,
                 const TakeBytes &take, Progress *progress);

/// The same for the longest runs of zeros of at least `least` bytes.
bool scanZeros(std::span<const std::byte> bytes, ByteRange range, std::uint64_t least,
               const TakeBytes &take, Progress *progress);

} // namespace kernscope::search
