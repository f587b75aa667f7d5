// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/pattern.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace kernscope::search {

namespace {

tl::unexpected<Error> badPattern(std::string_view found, std::string expected)
{
    return refused("search.pattern", "pattern", std::move(expected), std::string(found),
                   "This cannot be searched for");
}

/// 0 to 15, or 16 for '?'; nothing for any other character.
std::optional<unsigned> hexDigit(char character)
{
    if (character >= '0' && character <= '9')
        return static_cast<unsigned>(character - '0');
    if (character >= 'a' && character <= 'f')
        return static_cast<unsigned>(character - 'a' + 10);
    if (character >= 'A' && character <= 'F')
        return static_cast<unsigned>(character - 'A' + 10);
    if (character == '?')
        return 16;
    return std::nullopt;
}

/// Digits of one word, "0x" before them left out, as whole bytes.
bool addWord(std::string_view word, BytePattern &pattern)
{
    if (word.starts_with("0x") || word.starts_with("0X"))
        word.remove_prefix(2);
    if (word.size() % 2 != 0)
        return false;
    for (std::size_t i = 0; i < word.size(); i += 2) {
        const auto high = hexDigit(word[i]), low = hexDigit(word[i + 1]);
        if (!high || !low)
            return false;
        const unsigned mask = (*high > 15 ? 0U : 0xF0U) | (*low > 15 ? 0U : 0x0FU);
        const unsigned value = ((*high & 15U) << 4U) | (*low & 15U);
        pattern.mask.push_back(static_cast<std::byte>(mask));
        pattern.value.push_back(static_cast<std::byte>(value & mask));
    }
    return true;
}

struct Integer {
    std::uint64_t magnitude = 0;
    bool negative = false;
};

std::optional<Integer> parseMagnitude(std::string_view text)
{
    Integer number;
    if (text.starts_with('-') || text.starts_with('+')) {
        number.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex)
        text.remove_prefix(2);
    const auto [end, fault] =
        std::from_chars(text.data(), text.data() + text.size(), number.magnitude, hex ? 16 : 10);
    if (text.empty() || fault != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

} // namespace

bool BytePattern::fits(std::span<const std::byte> bytes) const
{
    for (std::size_t i = 0; i < value.size(); ++i) {
        if ((bytes[i] & mask[i]) != value[i])
            return false;
    }
    return true;
}

Result<BytePattern> parseBytePattern(std::string_view text)
{
    constexpr std::string_view kExpected = "pairs of hexadecimal digits, ? for any digit";
    constexpr std::string_view kBetween = " ,\t\n";
    BytePattern pattern;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(kBetween, at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        if (!addWord(text.substr(at, end - at), pattern))
            return badPattern(text, std::string(kExpected));
        at = end;
    }
    const bool any = std::any_of(pattern.mask.begin(), pattern.mask.end(),
                                 [](std::byte mask) { return mask != std::byte{0}; });
    if (!any)
        return badPattern(text, pattern.value.empty()
                                    ? std::string(kExpected)
                                    : std::string("a digit beside the wildcards"));
    return pattern;
}

Result<BytePattern> textPattern(std::string_view text)
{
    if (text.empty())
        return badPattern(text, "a text of at least one character");
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return BytePattern{{bytes.begin(), bytes.end()},
                       std::vector<std::byte>(bytes.size(), std::byte{0xFF})};
}

Result<BytePattern> integerPattern(std::string_view text, unsigned width, bool bigEndian)
{
    const auto number = parseMagnitude(text);
    if (!number)
        return badPattern(text, "an integer of up to 64 bits, decimal or 0x and hexadecimal");
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return refused("search.width", "width", "1, 2, 4 or 8 bytes", std::to_string(width),
                       "Integers have no such width");
    const unsigned bits = 8 * width;
    const std::uint64_t most = bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t deepest = std::uint64_t{1} << (bits - 1);
    if (number->magnitude > (number->negative ? deepest : most))
        return refused("search.width", "width", fmt::format("-{} to {}", deepest, most),
                       std::string(text), fmt::format("An integer of {} bits cannot be it", bits));
    const std::uint64_t value =
        (number->negative ? ~number->magnitude + 1 : number->magnitude) & most;
    BytePattern pattern;
    pattern.mask.assign(width, std::byte{0xFF});
    for (unsigned i = 0; i < width; ++i) {
        const unsigned place = bigEndian ? width - 1 - i : i;
        pattern.value.push_back(static_cast<std::byte>(value >> (8 * place)));
    }
    return pattern;
}

} // namespace kernscope::search
