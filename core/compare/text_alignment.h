// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kernscope {

/// A line of two texts set against each other. Offsets and lengths in bytes, the end of the line
/// included; a length of 0: the line is missing on that side.
struct TextPiece {
    std::uint64_t firstA = 0, lengthA = 0, firstB = 0, lengthB = 0;
    bool equal = false;
    /// Of a line on both sides that differs: bytes that agree at its start and at its end.
    std::uint64_t prefix = 0, suffix = 0;
};

/// Sets the lines of two texts against each other: lines that occur once on each side first
/// (patience), then statements that define a value of the same name, in order. Time grows as
/// n log n with the lines. Nothing where a text has more lines than `mostLines`.
std::optional<std::vector<TextPiece>> alignTexts(std::string_view a, std::string_view b,
                                                 std::size_t mostLines = 200000);

/// Indices of one longest ascending run of the numbers, not necessarily neighbours; the last first.
std::vector<std::size_t> longestAscending(const std::vector<std::uint64_t> &numbers);

/// Whether bytes look like text: no control characters but white space in the first 4 KiB.
bool looksLikeText(std::string_view bytes);

} // namespace kernscope
