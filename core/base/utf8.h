// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernscope {

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

} // namespace kernscope
