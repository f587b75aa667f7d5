// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Private to the codec: the parts of the names that plans give to forms ("palette4-g8-v2").
namespace kernscope::codec {

/// Takes "-" and the next word from the front; empty where there is none.
std::string_view nextWord(std::string_view &rest);
/// A number above 0 of at most nine digits.
std::optional<std::uint64_t> positiveNumber(std::string_view text);

} // namespace kernscope::codec
