// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kernscope::mil {

/// Length of the well-formed UTF-8 sequence at `at` (1 to 4 bytes); 0 where it is malformed.
std::size_t utf8SequenceLength(std::string_view text, std::size_t at);

/// Position of the first byte that is not well-formed UTF-8; npos where all is.
std::size_t findInvalidUtf8(std::string_view text);

/// `text` with U+FFFD for every byte that is not well-formed UTF-8.
std::string cleanUtf8(std::string_view text);

/// At most `limit` bytes of `text` for a message: what is not printable ASCII as \xNN.
std::string printable(std::string_view text, std::size_t limit = 40);

} // namespace kernscope::mil
