// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Places in a JSON text, for errors about it.
namespace kernscope {

/// Whether a text from a file is small enough to be parsed: at most 64 levels deep and one
/// million values, which take a hundred megabytes. Linear, and looks at no more than brackets
/// and commas. The parser itself is then called without a callback, for with one its time goes with
/// the square of the members.
bool jsonFits(std::string_view text);
/// The same for an error about a text that is not.
inline constexpr std::string_view kJsonLimits = "64 levels and one million values at most";

/// Byte at which the text stops to be JSON; its length where it only ends too soon.
std::uint64_t jsonFaultOffset(std::string_view text);

/// The first characters from that byte on, printable; "the end" where there are none.
std::string jsonTextAt(std::string_view text, std::uint64_t offset);

/// Byte at which a key is first written, with its quotation mark; 0 where it is not written as
/// given.
std::uint64_t jsonKeyOffset(std::string_view text, std::string_view key);

} // namespace kernscope
