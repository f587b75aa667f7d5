// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/wide_integer.h"

#include <charconv>

namespace kernscope::search {

namespace {

constexpr std::uint64_t kExact = std::uint64_t(1) << 53; ///< a double holds all integers up to here

} // namespace

std::string WideInteger::text() const
{
    return (negative ? "-" : "") + std::to_string(magnitude);
}

std::optional<WideInteger> wideInteger(std::int64_t code, bool isUnsigned)
{
    const bool negative = !isUnsigned && code < 0;
    const auto bits = static_cast<std::uint64_t>(code);
    const WideInteger wide{negative, negative ? 0 - bits : bits};
    return wide.magnitude > kExact ? std::optional(wide) : std::nullopt;
}

std::optional<WideInteger> wideInteger(std::string_view text)
{
    WideInteger wide;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        wide.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), wide.magnitude);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    const bool fits = !wide.negative || wide.magnitude <= std::uint64_t(1) << 63;
    return whole && fits && wide.magnitude > kExact ? std::optional(wide) : std::nullopt;
}

} // namespace kernscope::search
