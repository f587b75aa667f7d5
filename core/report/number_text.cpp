// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/number_text.h"

#include "core/base/csv.h"
#include "core/base/hex_text.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace kernscope::report {

std::string bytesText(std::uint64_t bytes)
{
    static constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::string text = grouped(bytes) + " B";
    if (bytes < 1024)
        return text;
    double figure = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; figure >= 1024 && unit + 1 < std::size(kUnits); ++unit)
        figure /= 1024;
    return fmt::format("{} ({:.1f} {})", text, figure, kUnits[unit]);
}

std::string sumText(std::string known, std::size_t open)
{
    return open == 0 ? known : fmt::format("at least {} (+ {} not known)", known, grouped(open));
}

std::string percentText(double fraction)
{
    return fmt::format("{:.1f} %", fraction * 100);
}

std::string ratioText(double ratio)
{
    return fmt::format("{:.3f}", ratio);
}

std::string hexText(std::uint64_t number, int digits)
{
    return kernscope::hexText(number, digits);
}

std::string siText(double value, std::string_view unit)
{
    struct Prefix {
        double size;
        std::string_view letter;
    };
    static constexpr Prefix kPrefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},
                                           {1e3, "k"},  {1, ""},     {1e-3, "m"}, {1e-6, "µ"},
                                           {1e-9, "n"}, {1e-12, "p"}};
    for (const Prefix &prefix : kPrefixes) {
        if (std::abs(value) >= prefix.size * 0.9995)
            return fmt::format("{:.3g} {}{}", value / prefix.size, prefix.letter, unit);
    }
    return fmt::format("{:.3g} {}", value, unit);
}

std::string csvField(std::string text)
{
    const std::string_view unsignedText =
        std::string_view(text).substr(text.starts_with('+') || text.starts_with('-') ? 1 : 0);
    const bool number = !unsignedText.starts_with('-') && parseNumber(unsignedText);
    const bool formula = !text.empty() && !number &&
                         std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    if (formula)
        text.insert(text.begin(), '\'');
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

} // namespace kernscope::report
