// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace kernscope {

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

} // namespace kernscope
