// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/pattern.h"

#include <cstddef>

namespace kernscope {

namespace {

/// The end of a set of characters that begins at `at` with '['; npos where it has none.
std::size_t endOfSet(std::string_view pattern, std::size_t at)
{
    std::size_t end = at + 1;
    if (end < pattern.size() && pattern[end] == '!')
        ++end;
    // A ']' that comes first is one of the characters.
    return pattern.find(']', end + 1);
}

bool isInSet(std::string_view set, char c)
{
    const bool negated = set.starts_with('!');
    if (negated)
        set.remove_prefix(1);
    bool found = false;
    const auto byte = [](char one) { return static_cast<unsigned char>(one); };
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (i + 2 < set.size() && set[i + 1] == '-') {
            found = found || (byte(set[i]) <= byte(c) && byte(c) <= byte(set[i + 2]));
            i += 2;
        } else {
            found = found || set[i] == c;
        }
    }
    return found != negated;
}

/// How many characters of the pattern stand for one of the text, if `c` is like them; else 0.
std::size_t matchedUnit(std::string_view pattern, std::size_t at, char c)
{
    if (pattern[at] == '[') {
        const std::size_t end = endOfSet(pattern, at);
        if (end != std::string_view::npos)
            return isInSet(pattern.substr(at + 1, end - at - 1), c) ? end + 1 - at : 0;
    }
    return pattern[at] == '?' || pattern[at] == c ? 1 : 0;
}

} // namespace

bool isPattern(std::string_view text)
{
    return text.find_first_of("*?[") != std::string_view::npos;
}

bool matchesPattern(std::string_view pattern, std::string_view text)
{
    if (pattern == text)
        return true;
    std::size_t at = 0, p = 0;
    std::size_t star = std::string_view::npos, from = 0; // where to go on after the last '*'
    while (at < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = ++p;
            from = at;
            continue;
        }
        const std::size_t unit = p < pattern.size() ? matchedUnit(pattern, p, text[at]) : 0;
        if (unit != 0) {
            p += unit;
            ++at;
        } else if (star != std::string_view::npos) {
            p = star;
            at = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

} // namespace kernscope
