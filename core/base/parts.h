// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// Calls `each` for the pieces of a text between the characters `by`, but for those without a
/// character, until it is false.
template <class Each>
bool allParts(std::string_view text, char by, const Each &each)
{
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(by));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        if (!part.empty() && !each(part))
            return false;
    }
    return true;
}

/// All of them.
inline std::vector<std::string> partsOf(std::string_view text, char by)
{
    std::vector<std::string> parts;
    allParts(text, by, [&parts](std::string_view part) {
        parts.emplace_back(part);
        return true;
    });
    return parts;
}

/// The number that the digits of a text are, all of it.
inline std::optional<std::uint64_t> digitsOf(std::string_view text, int base = 10)
{
    std::uint64_t number = 0;
    const char *end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number, base);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

} // namespace kernscope
