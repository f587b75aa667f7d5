// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/text_table.h"

#include "core/base/csv.h"
#include "core/base/printable.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Code points, near enough to columns for names.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

constexpr std::size_t kShortestName = 12;
constexpr std::size_t kLongWord = 30;  // longer ones are broken anywhere before names are cut
constexpr std::size_t kShortWord = 16; // longer ones are broken where nothing else helps
constexpr std::size_t kFairWords = 28; // a column of words is read with ease

/// The first `count` code points; from the end where `last`.
std::string_view someOf(std::string_view text, std::size_t count, bool last)
{
    std::size_t skip = last ? widthOf(text) - count : count;
    std::size_t at = 0;
    while (at < text.size() && skip > 0) {
        do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
        --skip;
    }
    return last ? text.substr(at) : text.substr(0, at);
}

/// With an ellipsis for the middle where it is longer: names differ at their ends.
std::string shortened(const std::string &text, std::size_t width)
{
    if (widthOf(text) <= width)
        return text;
    const std::size_t first = (width - 1) / 2;
    std::string result(someOf(text, first, false));
    result += "…";
    return result.append(someOf(text, width - 1 - first, true));
}

/// Where the first word ends: a mark before it, such as "* " or "> ", belongs to it.
std::size_t firstWordEnd(std::string_view text)
{
    const std::size_t begin = std::min(text.find_first_not_of(" *>!"), text.size());
    return std::min(text.find(' ', begin), text.size());
}

/// Lines of no more than `width`, broken at spaces and, where a word is longer, anywhere.
std::vector<std::string> wrapped(std::string_view text, std::size_t width)
{
    std::vector<std::string> lines;
    while (widthOf(text) > width) {
        const std::string_view most = someOf(text, width, false);
        const bool wordEnds = text[most.size()] == ' ';
        const std::size_t space = wordEnds ? most.size() : most.rfind(' ');
        const bool broken = space == std::string_view::npos || space < firstWordEnd(text);
        const std::size_t end = broken ? most.size() : space;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    lines.emplace_back(text);
    return lines;
}

} // namespace

TextTable::TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}

void TextTable::add(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    for (std::string &cell : cells)
        cell = printable(cell);
    m_rows.push_back(std::move(cells));
}

/// What a column of words or names may be made narrower to, where words longer than `longestWord`
/// are broken; a number's is never.
std::size_t TextTable::leastWidth(std::size_t column, std::size_t longestWord) const
{
    std::size_t least = widthOf(m_columns[column].header);
    if (m_columns[column].align == Align::Name)
        return std::max(least, kShortestName);
    for (const auto &row : m_rows) {
        std::string_view rest = row[column];
        while (!rest.empty()) {
            const std::size_t end = firstWordEnd(rest);
            least = std::max(least, std::min(widthOf(rest.substr(0, end)), longestWord));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return least;
}

/// Makes columns of that kind narrower, the widest first, until the whole line fits or each is as
/// narrow as it may be.
void TextTable::narrow(Align align, std::size_t longestWord, std::size_t fair,
                       std::size_t lineWidth, std::vector<std::size_t> &widths) const
{
    std::size_t whole = 0;
    std::vector<std::size_t> least;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        whole += widths[i] + 2;
        least.push_back(m_columns[i].align == align ? std::max(leastWidth(i, longestWord), fair)
                                                    : widths[i]);
    }
    while (whole > lineWidth) {
        std::size_t widest = m_columns.size();
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (widths[i] > least[i] && (widest == m_columns.size() || widths[i] > widths[widest]))
                widest = i;
        }
        if (widest == m_columns.size())
            return;
        --widths[widest];
        --whole;
    }
}

/// As wide as the widest cell. Where that is too wide: words take further lines, down to a width
/// that is read with ease, then names are shortened, then words take as little as they can.
std::vector<std::size_t> TextTable::widths(std::size_t lineWidth) const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t width = widthOf(m_columns[i].header);
        for (const auto &row : m_rows)
            width = std::max(width, widthOf(row[i]));
        widths.push_back(width);
    }
    if (lineWidth == 0)
        return widths;
    narrow(Align::Left, kLongWord, kFairWords, lineWidth, widths);
    narrow(Align::Name, kLongWord, kShortestName, lineWidth, widths);
    narrow(Align::Left, kLongWord, 0, lineWidth, widths);
    narrow(Align::Left, kShortWord, 0, lineWidth, widths);
    return widths;
}

/// One line, or as many as the cell with the most words takes.
void TextTable::appendRow(std::vector<std::string> &lines, const std::vector<std::string> &row,
                          const std::vector<std::size_t> &widths) const
{
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        cells.push_back(m_columns[i].align == Align::Left
                            ? wrapped(row[i], widths[i])
                            : std::vector{shortened(row[i], widths[i])});
        height = std::max(height, cells.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
        std::string text = " ";
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string cell = at < cells[i].size() ? cells[i][at] : std::string();
            const std::string blank(widths[i] - widthOf(cell), ' ');
            text += ' ';
            text += m_columns[i].align == Align::Right ? blank + cell : cell + blank;
            text += i + 1 < m_columns.size() ? " " : "";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        lines.push_back(std::move(text));
    }
}

std::vector<std::string> TextTable::lines(std::size_t lineWidth) const
{
    const std::vector<std::size_t> widths = this->widths(lineWidth);
    std::vector<std::string> headers;
    for (const Column &column : m_columns)
        headers.push_back(column.header);
    std::vector<std::string> lines;
    appendRow(lines, headers, widths);
    for (const auto &row : m_rows)
        appendRow(lines, row, widths);
    return lines;
}

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
    return fmt::format("0x{:0{}x}", number, digits);
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
