// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/edit_parser.h"

#include "core/base/error_builder.h"
#include "core/base/platform.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string printed(std::string_view text)
{
    std::string out;
    for (const char c : text.substr(0, 60))
        out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    return text.size() > 60 ? out + "…" : out;
}

struct Signed {
    std::string_view digits;
    bool negative = false;
    bool hexadecimal = false;
};

Signed splitSign(std::string_view text)
{
    Signed result;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        result.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") {
        result.hexadecimal = true;
        text.remove_prefix(2);
    }
    result.digits = text;
    return result;
}

/// `stop`: where a number ends although the text goes on.
tl::unexpected<Error> notANumber(const Piece &piece, const char *stop, std::string expected)
{
    const auto at = static_cast<std::size_t>(stop - piece.text.data());
    if (at >= piece.text.size())
        return syntaxError(piece, std::move(expected));
    std::size_t letter = 1; // bytes of it
    while (at + letter < piece.text.size() && (piece.text[at + letter] & 0xC0) == 0x80)
        ++letter;
    return ErrorBuilder("patch.syntax")
        .at(FileOffset(piece.at + at))
        .expected(std::move(expected))
        .found(printed(piece.text))
        .message(fmt::format("The character '{}' belongs to no number",
                             printed(piece.text.substr(at, letter))))
        .unexpected();
}

} // namespace

Piece Piece::trimmed() const
{
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos)
        return {{}, at + text.size()};
    const auto last = text.find_last_not_of(kSpace);
    return part(first, last - first + 1);
}

tl::unexpected<Error> syntaxError(const Piece &place, std::string expected)
{
    return ErrorBuilder("patch.syntax")
        .at(FileOffset(place.at))
        .expected(std::move(expected))
        .found(place.text.empty() ? "the end" : printed(place.text))
        .message("The edit cannot be understood")
        .unexpected();
}

Result<double> parseNumber(const Piece &piece)
{
    const Signed number = splitSign(piece.text);
    double value = 0;
    const char *end = number.digits.data() + number.digits.size();
    const auto format = number.hexadecimal ? std::chars_format::hex : std::chars_format::general;
    const auto [stop, fault] = platform::readNumber(number.digits.data(), end, value, format);
    if (fault == std::errc::result_out_of_range)
        return syntaxError(piece, "a number that fp64 can hold");
    // from_chars takes a sign of its own: "--1" and "0x-1" must not pass.
    const bool twoSigns = !number.digits.empty() && number.digits.front() == '-';
    if (fault != std::errc() || stop != end || twoSigns)
        return notANumber(piece, twoSigns ? number.digits.data() : stop,
                          "a number such as 0.5, -0x1.8p-3, nan or inf");
    return number.negative ? -value : value;
}

Result<std::int64_t> parseInteger(const Piece &piece)
{
    const Signed number = splitSign(piece.text);
    std::uint64_t magnitude = 0;
    const char *end = number.digits.data() + number.digits.size();
    const int base = number.hexadecimal ? 16 : 10;
    const auto [stop, fault] = std::from_chars(number.digits.data(), end, magnitude, base);
    constexpr auto kLargest = static_cast<std::uint64_t>(INT64_MAX);
    if (fault == std::errc::result_out_of_range || (stop == end && magnitude > kLargest))
        return syntaxError(piece, "an integer that 64 bits hold");
    if (fault != std::errc() || stop != end)
        return notANumber(piece, stop, "an integer such as 9 or 0x3c00");
    const auto value = static_cast<std::int64_t>(magnitude);
    return number.negative ? -value : value;
}

Result<std::uint64_t> parseIndex(const Piece &piece)
{
    std::uint64_t value = 0;
    const char *end = piece.text.data() + piece.text.size();
    const auto [stop, fault] = std::from_chars(piece.text.data(), end, value);
    if (fault != std::errc() || stop != end)
        return notANumber(piece, stop, "an index");
    return value;
}

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
