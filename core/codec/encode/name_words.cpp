// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/name_words.h"

#include <algorithm>
#include <charconv>

namespace kernscope::codec {

std::string_view nextWord(std::string_view &rest)
{
    if (!rest.starts_with('-'))
        return {};
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find('-'));
    rest.remove_prefix(word.size());
    return word;
}

std::optional<std::uint64_t> positiveNumber(std::string_view text)
{
    const bool digits =
        !text.empty() && text.size() < 10 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    std::uint64_t number = 0;
    if (digits)
        std::from_chars(text.data(), text.data() + text.size(), number);
    return number > 0 ? std::optional(number) : std::nullopt;
}

} // namespace kernscope::codec
