// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/byte_text.h"

#include <charconv>

#include <fmt/format.h>

namespace kernscope::patch {

Result<std::vector<std::byte>> parseHexBytes(const Piece &text)
{
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at < text.text.size();) {
        if (text.text[at] == ' ') {
            ++at;
            continue;
        }
        const Piece pair = text.part(at, 2);
        unsigned value = 0;
        const char *end = pair.text.data() + pair.text.size();
        const auto [stop, fault] = std::from_chars(pair.text.data(), end, value, 16);
        if (pair.text.size() != 2 || stop != end || fault != std::errc())
            return syntaxError(pair, "two hexadecimal digits a byte");
        if (bytes.size() == kMostTypedBytes)
            return syntaxError(pair, fmt::format("at most {} bytes", kMostTypedBytes));
        bytes.push_back(static_cast<std::byte>(value));
        at += 2;
    }
    if (bytes.empty())
        return syntaxError(text, "bytes as hexadecimal digits");
    return bytes;
}

Result<std::uint64_t> parseFileOffset(Piece &left)
{
    const auto plus = left.text.rfind('+');
    if (plus == std::string_view::npos)
        return syntaxError(left.part(left.text.size()), "+ and an offset in the file");
    const Piece number = left.part(plus + 1).trimmed();
    const bool hex = number.text.starts_with("0x") || number.text.starts_with("0X");
    const Piece digits = number.part(hex ? 2 : 0);
    std::uint64_t offset = 0;
    const char *end = digits.text.data() + digits.text.size();
    const auto [stop, fault] = std::from_chars(digits.text.data(), end, offset, hex ? 16 : 10);
    if (digits.text.empty() || stop != end || fault != std::errc() ||
        offset > UINT64_MAX - kMostTypedBytes)
        return syntaxError(number, "an offset in the file, such as 0x40");
    left = left.part(0, plus);
    return offset;
}

} // namespace kernscope::patch
