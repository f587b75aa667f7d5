// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"

#include <cstdint>

#include <fmt/format.h>

namespace kernscope {

Utf8Letter utf8LetterAt(std::string_view text, std::size_t at)
{
    const auto byteAt = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byteAt(at);
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    // C0, C1 and F5 to FF never lead; 80 to BF only follow.
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < bytes)
        return {};
    char32_t value = lead & (0xFFu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byteAt(at + i) & 0xC0) != 0x80)
            return {};
        value = value << 6 | (byteAt(at + i) & 0x3Fu);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < kSmallest[bytes] || surrogate || value > 0x10FFFF)
        return {};
    return {value, bytes};
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

std::string excerpt(std::string_view text, std::size_t limit)
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

} // namespace kernscope
