// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Private to rules. toml++ 3 runs into undefined behaviour when it asks whether some letters from
/// U+00A1 to U+FDFF are blank, which it asks of letters of broken texts as well. Letters of U+0080
/// to U+FFFF are therefore given to it 0xF0000 further on, where nothing is blank: in a plane for
/// private use. Each stays one letter, so that lines and columns are those of the text.
namespace kernscope::diff {

/// The first letter of that plane, which cannot be told from a moved one; the size: none.
std::size_t letterOfMovedPlane(std::string_view text);

/// `text` for toml++. What is no UTF-8, and a byte order mark in front, stays as it is.
std::string movedLetters(std::string_view text);

/// What toml++ gives back, as it stood in the text.
std::string movedBack(std::string_view text);

} // namespace kernscope::diff
