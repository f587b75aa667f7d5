// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/number.h"

#include "core/base/platform.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace kernscope::mil {

namespace {

int digitValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool takeSign(std::string_view &text)
{
    const bool negative = !text.empty() && text.front() == '-';
    if (negative || (!text.empty() && text.front() == '+'))
        text.remove_prefix(1);
    return negative;
}

bool takeHexPrefix(std::string_view &text)
{
    if (text.size() < 3 || text[0] != '0' || (text[1] | 0x20) != 'x')
        return false;
    text.remove_prefix(2);
    return true;
}

bool equalsIgnoringCase(std::string_view text, std::string_view lower)
{
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

/// Decimal exponent behind `p` or `e`; digits beyond any type's range are held at a bound.
std::optional<int> parseExponent(std::string_view text)
{
    const bool negative = takeSign(text);
    if (text.empty())
        return std::nullopt;
    constexpr std::int64_t kBound = 1 << 28;
    std::int64_t exponent = 0;
    for (const char c : text) {
        if (c < '0' || c > '9')
            return std::nullopt;
        exponent = std::min(exponent * 10 + (c - '0'), kBound);
    }
    return static_cast<int>(negative ? -exponent : exponent);
}

std::optional<ExactReal> parseHexReal(std::string_view text)
{
    ExactReal real;
    constexpr std::int64_t kBound = std::int64_t(1) << 29; // beyond the exponent of any type
    std::int64_t shift = 0;
    bool point = false;
    bool digits = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        const int digit = digitValue(text[i]);
        if (digit < 0)
            break;
        digits = true;
        const bool room = real.mantissa >> 60 == 0;
        if (room)
            real.mantissa = real.mantissa << 4 | static_cast<std::uint64_t>(digit);
        else
            real.more = real.more || digit != 0;
        if (point == room) // a digit kept behind the point, or one dropped before it
            shift += point ? -4 : 4;
    }
    int exponent = 0;
    if (i < text.size()) {
        const auto parsed =
            (text[i] | 0x20) == 'p' ? parseExponent(text.substr(i + 1)) : std::nullopt;
        if (!parsed)
            return std::nullopt;
        exponent = *parsed;
    }
    if (!digits)
        return std::nullopt;
    real.exponent = static_cast<int>(std::clamp(shift + exponent, -kBound, kBound));
    return real;
}

std::optional<ExactReal> parseDecimalReal(std::string_view text)
{
    // from_chars also knows "inf" and "nan(...)": the caller has dealt with those
    if (text.empty() || !(text.front() == '.' || digitValue(text.front()) >= 0))
        return std::nullopt;
    double value = 0;
    const auto [end, code] = platform::readNumber(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || code == std::errc::invalid_argument)
        return std::nullopt;
    ExactReal real;
    if (code == std::errc::result_out_of_range) {
        // Nearer to zero, or farther out, than every type: the sign of the decimal exponent of
        // the first digit that counts says which.
        const std::size_t e = text.find_first_of("eE");
        const std::string_view digits = text.substr(0, e);
        const std::size_t first = digits.find_first_of("123456789");
        const std::size_t point = std::min(digits.find('.'), digits.size());
        const auto written =
            e == std::string_view::npos ? std::optional(0) : parseExponent(text.substr(e + 1));
        const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
        if (first != std::string_view::npos && place + written.value_or(0) > 0)
            real.kind = ExactReal::Kind::Infinity;
        return real;
    }
    real = realOf(value);
    real.decimal = text;
    return real;
}

/// Digits that count and the power of ten of the first one: equal for equal numbers.
struct Decimal {
    std::string digits;
    std::int64_t power = 0;
};

Decimal normalised(std::string_view text)
{
    Decimal decimal;
    const std::size_t e = text.find_first_of("eE");
    const std::string_view figures = text.substr(0, e);
    const std::size_t point = std::min(figures.find('.'), figures.size());
    std::int64_t position = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        if (i == point)
            continue;
        if (decimal.digits.empty() && figures[i] == '0') {
            ++position;
            continue;
        }
        decimal.digits += figures[i];
    }
    while (!decimal.digits.empty() && decimal.digits.back() == '0')
        decimal.digits.pop_back();
    const auto written =
        e == std::string_view::npos ? std::optional(0) : parseExponent(text.substr(e + 1));
    decimal.power = static_cast<std::int64_t>(point) - position + written.value_or(0);
    return decimal;
}

/// Sign of (the decimal as written - the double nearest to it). Only asked where the double lies
/// halfway between two values of a narrower type.
int decimalRemainder(const ExactReal &number)
{
    std::array<char, 1200> exact{};
    const double nearest = std::ldexp(static_cast<double>(number.mantissa), number.exponent);
    // an odd number times 2^k has at most 17 + |k| digits that count
    const int digits = 20 + std::abs(number.exponent + std::countr_zero(number.mantissa));
    const auto [end, code] = std::to_chars(exact.data(), exact.data() + exact.size(), nearest,
                                           std::chars_format::scientific, digits);
    if (code != std::errc())
        return 0;
    const Decimal written = normalised(number.decimal);
    const Decimal doubled =
        normalised(std::string_view(exact.data(), static_cast<std::size_t>(end - exact.data())));
    if (written.power != doubled.power)
        return written.power > doubled.power ? 1 : -1;
    const int order = written.digits.compare(doubled.digits);
    return order > 0 ? 1 : order < 0 ? -1 : 0;
}

struct FloatFormat {
    int exponentBits = 0;
    int mantissaBits = 0;
    bool hasInfinity = true;

    int bias() const { return (1 << (exponentBits - 1)) - 1; }
    std::uint64_t infinity() const
    {
        return ((std::uint64_t(1) << exponentBits) - 1) << mantissaBits;
    }
    std::uint64_t nan() const
    {
        const auto quiet = std::uint64_t(1) << (mantissaBits - 1);
        return hasInfinity ? infinity() | quiet
                           : infinity() | ((std::uint64_t(1) << mantissaBits) - 1);
    }
    std::uint64_t overflow() const { return hasInfinity ? infinity() : nan(); }
};

FloatFormat formatOf(ElementType type)
{
    switch (type) {
    case ElementType::Fp16: return {5, 10, true};
    case ElementType::Bf16: return {8, 7, true};
    case ElementType::Fp64: return {11, 52, true};
    case ElementType::Fp8E4M3Fn: return {4, 3, false};
    case ElementType::Fp8E5M2: return {5, 2, true};
    default: return {8, 23, true};
    }
}

std::uint64_t roundFinite(const ExactReal &number, const FloatFormat &format)
{
    if (number.mantissa == 0)
        return 0;
    const int lead = std::countl_zero(number.mantissa);
    const std::uint64_t mantissa = number.mantissa << lead;
    const std::int64_t exponent = std::int64_t(number.exponent) + 63 - lead;
    const std::int64_t below = 1 - format.bias() - exponent; // over 0: subnormal
    const std::int64_t shift = 63 - format.mantissaBits + std::max<std::int64_t>(below, 0);
    if (exponent > format.bias() + 1)
        return format.overflow();
    if (shift > 64)
        return 0;
    const std::uint64_t kept = shift == 64 ? 0 : mantissa >> shift;
    const std::uint64_t rest =
        shift == 64 ? mantissa : mantissa & ((std::uint64_t(1) << shift) - 1);
    const std::uint64_t half = std::uint64_t(1) << (shift - 1);
    int order = rest > half ? 1 : rest < half ? -1 : number.more ? 1 : 0;
    if (order == 0 && !number.decimal.empty())
        order = decimalRemainder(number);
    const std::uint64_t rounded = kept + (order > 0 || (order == 0 && kept % 2 == 1) ? 1 : 0);
    if (below > 0)
        return rounded; // a carry makes the smallest normal number
    const auto biased = static_cast<std::uint64_t>(exponent + format.bias());
    const std::uint64_t bits =
        (biased << format.mantissaBits) + rounded - (std::uint64_t(1) << format.mantissaBits);
    return bits >= format.overflow() ? format.overflow() : bits;
}

} // namespace

NumberFault parseInteger(std::string_view text, Integer &number)
{
    number.negative = takeSign(text);
    number.magnitude = 0;
    const std::uint64_t base = takeHexPrefix(text) ? 16 : 10;
    if (text.empty())
        return NumberFault::Syntax;
    bool fits = true;
    for (const char c : text) {
        const int digit = digitValue(c);
        if (digit < 0 || static_cast<std::uint64_t>(digit) >= base)
            return NumberFault::Syntax;
        const auto value = static_cast<std::uint64_t>(digit);
        fits = fits && number.magnitude <= (UINT64_MAX - value) / base;
        number.magnitude = number.magnitude * base + value;
    }
    return fits ? NumberFault::None : NumberFault::TooLarge;
}

std::optional<ExactReal> parseReal(std::string_view text)
{
    const bool negative = takeSign(text);
    std::optional<ExactReal> real;
    if (equalsIgnoringCase(text, "inf") || equalsIgnoringCase(text, "infinity"))
        real.emplace().kind = ExactReal::Kind::Infinity;
    else if (equalsIgnoringCase(text, "nan"))
        real.emplace().kind = ExactReal::Kind::NaN;
    else
        real = takeHexPrefix(text) ? parseHexReal(text) : parseDecimalReal(text);
    if (real)
        real->negative = negative;
    return real;
}

ExactReal realOf(double value)
{
    ExactReal real;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int biased = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
    real.negative = bits >> 63 != 0;
    if (biased == 0x7FF) {
        real.kind = fraction == 0 ? ExactReal::Kind::Infinity : ExactReal::Kind::NaN;
        return real;
    }
    real.mantissa = fraction | (biased == 0 ? 0 : std::uint64_t(1) << 52);
    real.exponent = std::max(biased, 1) - 1075;
    return real;
}

std::uint64_t roundToFloat(const ExactReal &number, ElementType type)
{
    const FloatFormat format = formatOf(type);
    std::uint64_t bits = 0;
    switch (number.kind) {
    case ExactReal::Kind::Finite: bits = roundFinite(number, format); break;
    case ExactReal::Kind::Infinity: bits = format.overflow(); break;
    case ExactReal::Kind::NaN: bits = format.nan(); break;
    }
    const std::uint64_t sign = number.negative ? 1 : 0;
    return bits | sign << (format.exponentBits + format.mantissaBits);
}

NumberFault integerBits(const Integer &number, ElementType type, std::uint64_t &bits)
{
    const unsigned width = bitWidth(type);
    const std::uint64_t all = width == 64 ? UINT64_MAX : (std::uint64_t(1) << width) - 1;
    const std::uint64_t top = isSignedInteger(type) ? all >> 1 : all;
    const std::uint64_t lowest = isSignedInteger(type) ? top + 1 : 0;
    if (number.magnitude > (number.negative ? lowest : top))
        return NumberFault::TooLarge;
    bits = (number.negative ? 0 - number.magnitude : number.magnitude) & all;
    return NumberFault::None;
}

NumberFault elementBits(std::string_view text, ElementType type, std::uint64_t &bits)
{
    if (type == ElementType::Bool) {
        bits = text == "true" || text == "1" ? 1 : 0;
        return bits == 1 || text == "false" || text == "0" ? NumberFault::None
                                                           : NumberFault::Syntax;
    }
    if (isFloatingPoint(type)) {
        const auto real = parseReal(text);
        if (!real)
            return NumberFault::Syntax;
        bits = roundToFloat(*real, type);
        const FloatFormat format = formatOf(type);
        const std::uint64_t sign = std::uint64_t(1) << (format.exponentBits + format.mantissaBits);
        return real->kind == ExactReal::Kind::Finite && (bits & ~sign) == format.overflow()
                   ? NumberFault::Infinite
                   : NumberFault::None;
    }
    Integer number;
    const NumberFault fault = parseInteger(text, number);
    return fault == NumberFault::None ? integerBits(number, type, bits) : fault;
}

} // namespace kernscope::mil
