// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/toml_letters.h"

#include "core/container/mil/utf8.h"

#include <algorithm>
#include <cstdint>

namespace kernscope::diff {

namespace {

constexpr std::uint32_t kMoved = 0xF0000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::uint32_t bits(char byte, unsigned mask)
{
    return static_cast<unsigned char>(byte) & mask;
}

/// The code point of a well-formed sequence of 2 to 4 bytes.
std::uint32_t codePoint(std::string_view letter)
{
    std::uint32_t code = bits(letter[0], 0xFFU >> (letter.size() + 1));
    for (const char byte : letter.substr(1))
        code = code << 6 | bits(byte, 0x3F);
    return code;
}

/// As UTF-8, in `length` bytes, 2 to 4.
void append(std::string &text, std::uint32_t code, std::size_t length)
{
    constexpr unsigned kFirst[] = {0, 0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(kFirst[length] | code >> 6 * (length - 1));
    for (std::size_t rest = length - 1; rest-- > 0;)
        text += static_cast<char>(0x80 | (code >> 6 * rest & 0x3F));
}

bool isMoved(std::uint32_t code)
{
    return code >= kMoved && code <= kMoved + 0xFFFF;
}

/// Hands each letter beyond ASCII and its place to `take`, and the other bytes to `keep`.
template <class Take, class Keep>
void forEachLetter(std::string_view text, Take take, Keep keep)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = mil::utf8SequenceLength(text, at);
        if (length > 1)
            take(text.substr(at, length), at);
        else
            keep(text[at]);
        at += std::max<std::size_t>(length, 1);
    }
}

} // namespace

std::size_t letterOfMovedPlane(std::string_view text)
{
    std::size_t found = text.size();
    forEachLetter(
        text,
        [&](std::string_view letter, std::size_t at) {
            if (found == text.size() && isMoved(codePoint(letter)))
                found = at;
        },
        [](char) {});
    return found;
}

std::string movedLetters(std::string_view text)
{
    std::string moved;
    if (text.starts_with(kByteOrderMark)) {
        moved = kByteOrderMark;
        text.remove_prefix(kByteOrderMark.size());
    }
    forEachLetter(
        text,
        [&](std::string_view letter, std::size_t) {
            if (letter.size() < 4)
                append(moved, kMoved + codePoint(letter), 4);
            else
                moved += letter;
        },
        [&](char byte) { moved += byte; });
    return moved;
}

std::string movedBack(std::string_view text)
{
    std::string back;
    forEachLetter(
        text,
        [&](std::string_view letter, std::size_t) {
            const std::uint32_t code = codePoint(letter);
            if (isMoved(code))
                append(back, code - kMoved, code - kMoved < 0x800 ? 2 : 3);
            else
                back += letter;
        },
        [&](char byte) { back += byte; });
    return back;
}

} // namespace kernscope::diff
