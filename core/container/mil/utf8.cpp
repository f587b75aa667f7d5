// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/utf8.h"

#include <cstdint>

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

std::uint8_t byteAt(std::string_view text, std::size_t at)
{
    return static_cast<std::uint8_t>(text[at]);
}

} // namespace

std::size_t utf8SequenceLength(std::string_view text, std::size_t at)
{
    const std::uint8_t lead = byteAt(text, at);
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    // C0, C1 and F5 to FF never lead; 80 to BF only follow
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byteAt(text, at + i) & 0xC0) != 0x80)
            return 0;
    }
    const std::uint8_t second = byteAt(text, at + 1);
    const bool tooLong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second > 0x9F;
    const bool tooLarge = lead == 0xF4 && second > 0x8F;
    return tooLong || surrogate || tooLarge ? 0 : length;
}

std::size_t findInvalidUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8SequenceLength(text, at);
        if (length == 0)
            return at;
        at += length;
    }
    return std::string_view::npos;
}

std::string cleanUtf8(std::string_view text)
{
    if (findInvalidUtf8(text) == std::string_view::npos)
        return std::string(text);
    std::string clean;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8SequenceLength(text, at);
        if (length == 0) {
            clean += "\xEF\xBF\xBD";
            ++at;
        } else {
            clean += text.substr(at, length);
            at += length;
        }
    }
    return clean;
}

std::string printable(std::string_view text, std::size_t limit)
{
    std::string shown;
    for (const char c : text.substr(0, limit)) {
        if (c >= ' ' && c <= '~')
            shown += c;
        else
            shown += fmt::format("\\x{:02X}", static_cast<std::uint8_t>(c));
    }
    if (text.size() > limit)
        shown += "...";
    return shown;
}

} // namespace kernscope::mil
