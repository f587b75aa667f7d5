// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// "12,345".
std::string grouped(std::uint64_t number);
/// "1 byte", "12,345 bytes": for nouns whose plural is an "s" more.
std::string counted(std::uint64_t number, std::string_view one);

/// "0x02b080": at least `digits` lower-case digits.
std::string hexText(std::uint64_t number, int digits = 1);
/// Two lower-case digits a byte, with `between` between them.
std::string hexBytesText(std::span<const std::byte> bytes, std::string_view between = " ");

/// Text of a file as it may be shown to people. Names are whatever bytes a file holds; some of them
/// drive a terminal or turn the direction of the text around it. These are written out:
/// control characters and line and paragraph separators (`\x1b`, `\n`, `\u009b`, `\u2028`), marks
/// that order or hide text (`\u202e`, `\u200b`, `\ufeff`, `\U000e0041`), and bytes that are no
/// UTF-8 (`\xff`). Everything else stays as it is; the result is valid UTF-8 on one line.
std::string printable(std::string_view text);
/// The same with line feeds and tabs left in place: for listings.
std::string printableLines(std::string_view text);

/// A JSON document (valid UTF-8) whose strings hold such characters, with those written as
/// `\uXXXX`: the same values, and safe on a terminal.
std::string printableJson(std::string text);

/// A letter of a text in UTF-8, as the Unicode standard has it: no overlong forms, no surrogates,
/// nothing above U+10FFFF.
struct Utf8Letter {
    char32_t value = 0;
    std::size_t bytes = 0; ///< 1 to 4; 0 where none begins
};
/// The one at `at`, which lies in the text.
Utf8Letter utf8LetterAt(std::string_view text, std::size_t at = 0);

/// Length of the sequence at `at`; 0 where it is malformed.
inline std::size_t utf8SequenceLength(std::string_view text, std::size_t at)
{
    return utf8LetterAt(text, at).bytes;
}

/// Position of the first byte that is not well-formed UTF-8; npos where all is.
std::size_t findInvalidUtf8(std::string_view text);

/// `text` with U+FFFD for every byte that is not well-formed UTF-8.
std::string cleanUtf8(std::string_view text);

/// At most `limit` bytes of `text` for a message: what is not printable ASCII as \xNN.
std::string excerpt(std::string_view text, std::size_t limit = 40);

/// Whether a text has a character that means something in a pattern.
bool isPattern(std::string_view text);

/// Whether a text is the pattern itself or like it: '*' stands for any characters, '?' for one,
/// "[a-c_]" for one of those, "[!a-c]" for one that is not; a '[' without ']' for itself. Linear in
/// the text, but for patterns with several stars.
bool matchesPattern(std::string_view pattern, std::string_view text);

/// Insertions, deletions, replacements and exchanges of neighbours that lead from one text to the
/// other, in their first 128 bytes.
std::size_t wordDistance(std::string_view a, std::string_view b);

/// The known word that a mistyped one is nearest to; empty where none is near.
std::string nearestWord(std::string_view typed, const std::vector<std::string> &known);

/// The name of a weight without the converters' suffixes: "_quantized", "_palettized",
/// "_sparsified", in any order. A name that is nothing but a suffix stays.
std::string baseName(std::string_view name);

} // namespace kernscope
