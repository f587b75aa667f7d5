// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

std::string grouped(std::uint64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string counted(std::uint64_t number, std::string_view one)
{
    return grouped(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

std::string hexText(std::uint64_t number, int digits)
{
    return fmt::format("0x{:0{}x}", number, digits);
}

std::string hexBytesText(std::span<const std::byte> bytes, std::string_view between)
{
    std::string text;
    for (const std::byte byte : bytes)
        text +=
            fmt::format("{}{:02x}", text.empty() ? "" : between, std::to_integer<unsigned>(byte));
    return text;
}

namespace {

/// Controls, separators of lines, and what Unicode calls default-ignorable or bidirectional.
bool unsafe(char32_t c)
{
    struct Span {
        char32_t first, last;
    };
    static constexpr Span kUnsafe[] = {
        {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},     {0x34F, 0x34F},
        {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5}, {0x180B, 0x180F},
        {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F}, {0x3164, 0x3164},
        {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
        {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    for (const Span &span : kUnsafe) {
        if (c >= span.first && c <= span.last)
            return true;
    }
    return false;
}

void append(std::string &shown, char32_t c)
{
    const auto value = static_cast<std::uint32_t>(c);
    if (c == '\n')
        shown += "\\n";
    else if (c == '\t')
        shown += "\\t";
    else if (c == '\r')
        shown += "\\r";
    else if (value < 0x80)
        shown += fmt::format("\\x{:02x}", value);
    else if (value < 0x10000)
        shown += fmt::format("\\u{:04x}", value);
    else
        shown += fmt::format("\\U{:08x}", value);
}

/// Takes the letters, digits and signs of ASCII that a text begins with: nearly all of a document,
/// and safe as they are.
std::string_view takePlain(std::string_view &text)
{
    const auto end =
        std::ranges::find_if(text, [](char letter) { return letter < 0x20 || letter > 0x7E; });
    const std::string_view plain = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(plain.size());
    return plain;
}

std::string escaped(std::string_view text, bool lines)
{
    std::string shown;
    shown.reserve(text.size());
    for (shown += takePlain(text); !text.empty(); shown += takePlain(text)) {
        const Utf8Letter c = utf8LetterAt(text);
        const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
        if (c.bytes == 0)
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if (unsafe(c.value) && !(lines && (c.value == '\n' || c.value == '\t')))
            append(shown, c.value);
        else
            shown += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return shown;
}

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

std::string printable(std::string_view text)
{
    return escaped(text, false);
}

std::string printableLines(std::string_view text)
{
    return escaped(text, true);
}

std::string printableJson(std::string text)
{
    const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
    if (std::ranges::all_of(text, plain))
        return text;
    std::string_view document = text;
    std::string shown;
    shown.reserve(document.size());
    for (shown += takePlain(document); !document.empty(); shown += takePlain(document)) {
        const Utf8Letter c = utf8LetterAt(document);
        const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
        const auto value = static_cast<std::uint32_t>(c.value);
        if (c.bytes == 0 || value < 0x20 || !unsafe(c.value))
            shown += document.substr(0, bytes); // below 0x20 only between the values
        else if (value < 0x10000)
            shown += fmt::format("\\u{:04x}", value);
        else
            shown +=
                fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (value >> 10), 0xDC00 + (value & 0x3FF));
        document.remove_prefix(bytes);
    }
    return shown;
}

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

std::size_t wordDistance(std::string_view a, std::string_view b)
{
    constexpr std::size_t kMost = 128;
    a = a.substr(0, kMost);
    b = b.substr(0, kMost);
    std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            next[j] = std::min({changed, row[j] + 1, next[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                next[j] = std::min(next[j], before[j - 2] + 1);
        }
        before = std::exchange(row, next);
    }
    return row.back();
}

std::string nearestWord(std::string_view typed, const std::vector<std::string> &known)
{
    std::string nearest;
    std::size_t best = std::max<std::size_t>(2, typed.size() / 3) + 1;
    for (const std::string &word : known) {
        const bool begins = typed.size() >= 3 && std::string_view(word).starts_with(typed);
        const std::size_t distance = begins ? 0 : wordDistance(typed, word);
        if (distance < best && distance < typed.size()) {
            best = distance;
            nearest = word;
        }
    }
    return nearest;
}

std::string baseName(std::string_view name)
{
    for (bool taken = true; taken;) {
        taken = false;
        for (const std::string_view suffix : {"_quantized", "_palettized", "_sparsified"}) {
            if (name.size() > suffix.size() && name.ends_with(suffix)) {
                name.remove_suffix(suffix.size());
                taken = true;
            }
        }
    }
    return std::string(name);
}

} // namespace kernscope
