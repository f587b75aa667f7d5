// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/literal_rewrite.h"

#include "core/base/parts.h"
#include "core/base/platform.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// How far beside a token spaces are looked for.
constexpr std::size_t kReach = 16;

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool isBracketOrComma(char c)
{
    return std::string_view("[](){}<>,").find(c) != std::string_view::npos;
}

/// The code that a number has once it is rounded to the type; nothing for types that are not
/// floating point.
std::optional<std::int64_t> codeOf(ElementType type, double value)
{
    const float odd = doubleToFloatOdd(value);
    switch (type) {
    case ElementType::Fp16: return floatToHalf(odd);
    case ElementType::Bf16: return floatToBfloat16(odd);
    case ElementType::Fp8E4M3Fn: return floatToE4m3(odd);
    case ElementType::Fp8E5M2: return floatToE5m2(odd);
    case ElementType::Fp4E2M1: return floatToE2m1(odd);
    case ElementType::Fp32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ElementType::Fp64: return std::bit_cast<std::int64_t>(value);
    default: return std::nullopt;
    }
}

/// Bits of a code, without the sign extension that it may come with.
std::int64_t masked(ElementType type, std::int64_t code)
{
    const unsigned width = bitWidth(type);
    return width >= 64 ? code : code & ((std::int64_t{1} << width) - 1);
}

/// "-1.5e-07" as "-1.5e-7", which reads the same.
std::string withoutZerosInExponent(std::string text)
{
    const auto e = text.find('e');
    if (e == std::string::npos)
        return text;
    std::size_t at = e + 1;
    if (text[at] == '+')
        text.erase(at, 1);
    else if (text[at] == '-')
        ++at;
    while (at + 1 < text.size() && text[at] == '0')
        text.erase(at, 1);
    return text;
}

/// The decimal text with the fewest characters that is rounded to the same code.
std::string shortestDecimal(ElementType type, double value, std::int64_t code)
{
    for (int digits = 1; digits <= 17; ++digits) {
        std::string best;
        for (const char form : {'g', 'e'}) {
            std::string text = form == 'g' ? fmt::format("{:.{}g}", value, digits)
                                           : fmt::format("{:.{}e}", value, digits - 1);
            text = withoutZerosInExponent(std::move(text));
            double read = 0;
            const auto [end, fault] =
                platform::readNumber(text.data(), text.data() + text.size(), read);
            const auto readCode = codeOf(type, read);
            // A reader may go by way of fp32: the text must survive that rounding as well.
            const auto throughFloat = codeOf(type, static_cast<double>(static_cast<float>(read)));
            const bool same = fault == std::errc() && readCode == code &&
                              (type == ElementType::Fp64 || throughFloat == code);
            if (same && (best.empty() || text.size() < best.size()))
                best = std::move(text);
        }
        if (!best.empty())
            return best;
    }
    return {};
}

struct Kept {
    std::string text;
    std::size_t taken = 0; ///< spaces that were left out
};

/// `text` without up to `need` of its spaces. `before` and `behind` are its neighbours: a space
/// that parts two words stays.
Kept squeeze(std::string_view text, std::size_t need, char before, char behind)
{
    Kept kept;
    char last = before;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = i + 1 < text.size() ? text[i + 1] : behind;
        const bool parts =
            !isSpace(last) && !isBracketOrComma(last) && !isSpace(next) && !isBracketOrComma(next);
        if (kept.taken < need && isSpace(text[i]) && !parts) {
            ++kept.taken;
            continue;
        }
        kept.text += text[i];
        last = text[i];
    }
    return kept;
}

/// The token with room taken from behind it, from as near as possible.
std::optional<Rewrite> growRight(std::string_view text, std::size_t start, std::size_t end,
                                 std::string_view token)
{
    const std::size_t need = token.size() - (end - start);
    for (std::size_t stop = end; stop < text.size() && stop - end < kReach;) {
        if (!isSpace(text[stop]) && !isBracketOrComma(text[stop]))
            break;
        ++stop;
        const char behind = stop < text.size() ? text[stop] : ',';
        const Kept kept = squeeze(text.substr(end, stop - end), need, token.back(), behind);
        if (kept.taken == need)
            return Rewrite{start, std::string(token) + kept.text};
    }
    return std::nullopt;
}

std::optional<Rewrite> growLeft(std::string_view text, std::size_t start, std::size_t end,
                                std::string_view token)
{
    const std::size_t need = token.size() - (end - start);
    for (std::size_t from = start; from > 0 && start - from < kReach;) {
        if (!isSpace(text[from - 1]) && !isBracketOrComma(text[from - 1]))
            break;
        --from;
        const char before = from > 0 ? text[from - 1] : ',';
        const Kept kept = squeeze(text.substr(from, start - from), need, before, token.front());
        if (kept.taken == need)
            return Rewrite{from, kept.text + std::string(token)};
    }
    return std::nullopt;
}

std::optional<std::uint64_t> readVarint(std::span<const std::byte> bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
        const auto byte = std::to_integer<std::uint64_t>(bytes[i]);
        value |= (byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0)
            return i + 1 == bytes.size() ? std::optional(value) : std::nullopt;
    }
    return std::nullopt;
}

bool inside(std::span<const std::byte> file, mil::SourceSpan span)
{
    return span.length > 0 &&
           fitsInside({FileOffset(span.offset), ByteCount(span.length)}, ByteCount(file.size()));
}

} // namespace

std::string hexadecimal(double value)
{
    // fmt 10 writes 0x0p-1022 for a zero.
    if (value == 0)
        return std::signbit(value) ? "-0x0p+0" : "0x0p+0";
    return fmt::format("{:a}", value);
}

std::vector<std::string> notations(ElementType type, std::int64_t code)
{
    if (!isFloatingPoint(type)) {
        if (type == ElementType::Uint64)
            return {fmt::format("{}", static_cast<std::uint64_t>(code))};
        return {fmt::format("{}", code)};
    }
    const std::int64_t bits = masked(type, code);
    const double value = codeValue(type, bits);
    // "nan" gives one NaN; no text gives one with another payload.
    if (std::isnan(value) && codeOf(type, std::numeric_limits<double>::quiet_NaN()) != bits)
        return {};
    if (!std::isfinite(value))
        return {fmt::format("{}", value)};
    std::vector<std::string> texts{hexadecimal(value)};
    if (std::string decimal = shortestDecimal(type, value, bits); !decimal.empty())
        texts.push_back(std::move(decimal));
    return texts;
}

std::optional<Rewrite> rewriteToken(std::span<const std::byte> text, mil::SourceSpan span,
                                    std::string_view token)
{
    if (!inside(text, span) || token.empty())
        return std::nullopt;
    const std::string_view all(reinterpret_cast<const char *>(text.data()), text.size());
    const std::size_t start = span.offset, end = span.offset + span.length;
    if (token.size() <= span.length) {
        std::string padded(token);
        padded.append(span.length - token.size(), ' ');
        return Rewrite{start, std::move(padded)};
    }
    auto right = growRight(all, start, end, token);
    auto left = growLeft(all, start, end, token);
    if (right && left)
        return right->bytes.size() <= left->bytes.size() ? right : left;
    return right ? right : left;
}

std::optional<Rewrite> rewriteVarint(std::span<const std::byte> wire, mil::SourceSpan span,
                                     std::uint64_t before, std::uint64_t after)
{
    if (!inside(wire, span) || readVarint(wire.subspan(span.offset, span.length)) != before)
        return std::nullopt;
    std::string bytes;
    for (std::uint64_t i = 0; i < span.length; ++i) {
        const bool last = i + 1 == span.length;
        bytes += static_cast<char>((after & 0x7f) | (last ? 0 : 0x80));
        after >>= 7;
    }
    if (after != 0)
        return std::nullopt;
    return Rewrite{span.offset, std::move(bytes)};
}

std::optional<Rewrite> rewriteExtent(std::span<const std::byte> program, mil::SourceSpan span,
                                     std::uint64_t before, std::uint64_t after)
{
    if (!inside(program, span))
        return std::nullopt;
    const auto bytes = program.subspan(span.offset, span.length);
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (digitsOf(text) == before)
        return rewriteToken(program, span, fmt::format("{}", after));
    return rewriteVarint(program, span, before, after);
}

} // namespace kernscope::patch
