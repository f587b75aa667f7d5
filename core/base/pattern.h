// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

/// Patterns of names, as the command line and rules files take them.
namespace kernscope {

/// Whether a text has a character that means something in a pattern.
bool isPattern(std::string_view text);

/// Whether a text is the pattern itself or like it: '*' stands for any characters, '?' for one,
/// "[a-c_]" for one of those, "[!a-c]" for one that is not; a '[' without ']' for itself. Linear in
/// the text, but for patterns with several stars.
bool matchesPattern(std::string_view pattern, std::string_view text);

} // namespace kernscope
