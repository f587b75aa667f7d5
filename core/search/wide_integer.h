// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernscope::search {

/// An integer of 64 bits beyond 2^53: a double may not hold it.
struct WideInteger {
    bool negative = false;
    std::uint64_t magnitude = 0;

    /// Decimal, with its sign.
    std::string text() const;
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

} // namespace kernscope::search
