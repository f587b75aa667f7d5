// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/column.h"

#include "core/base/csv.h"
#include "core/report/json_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Code points, near enough to columns for names.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
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

template <class... Each>
struct Visitor : Each... {
    using Each::operator()...;
};
template <class... Each>
Visitor(Each...) -> Visitor<Each...>;

std::string realText(const Real &real)
{
    std::string text = real.significant ? fmt::format("{:.{}g}", real.number, real.places)
                                        : fmt::format("{:.{}f}", real.number, real.places);
    if (text.find_first_not_of("-0.") == std::string::npos) // rounded to zero: without a sign
        text.erase(0, text.find_first_not_of('-'));
    return text;
}

std::string wordText(const Word &word)
{
    if (word.text.empty())
        return word.detail;
    std::string text(word.text);
    return word.detail.empty() ? text : text + ": " + word.detail;
}

std::string filePlaceText(const FilePlace &place)
{
    std::string all(place.file);
    return place.offset ? all + "+" + hexText(*place.offset) : all;
}

std::string listText(const List &list)
{
    std::string text;
    for (const std::string &each : list)
        text += (text.empty() ? "" : ", ") + each;
    return text;
}

/// Infinity sorts beyond every number, NaN as no number.
SortValue numberOrder(double number)
{
    return std::isnan(number) ? SortValue() : SortValue(number);
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
        return std::max(least, leastName(column));
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

/// The width down to which different names are shortened to different texts, of the rows that a
/// person may still look through.
std::size_t TextTable::leastName(std::size_t column) const
{
    constexpr std::size_t kRows = 500;
    std::set<std::string_view> names;
    std::size_t widest = kShortestName;
    for (const auto &row : std::span(m_rows).first(std::min(kRows, m_rows.size()))) {
        names.insert(row[column]);
        widest = std::max(widest, widthOf(row[column]));
    }
    std::size_t width = kShortestName;
    for (std::set<std::string> texts; width < widest; ++width, texts.clear()) {
        for (const std::string_view name : names)
            texts.insert(shortened(std::string(name), width));
        if (texts.size() == names.size())
            break;
    }
    return width;
}

/// What all names of a column begin with, up to a mark between words, becomes an ellipsis.
void TextTable::shortenBeginnings(std::size_t column)
{
    constexpr std::size_t kFew = 5; // bytes that are not worth it
    std::string_view common = m_rows.empty() ? std::string_view() : m_rows.front()[column];
    bool several = false;
    for (const auto &row : m_rows) {
        const std::string_view name = row[column];
        several = several || name != m_rows.front()[column];
        const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end());
        common = common.substr(0, static_cast<std::size_t>(end.first - common.begin()));
    }
    const std::size_t mark = common.find_last_of("_/.");
    if (!several || mark == std::string_view::npos || mark < kFew)
        return;
    for (auto &row : m_rows)
        row[column].replace(0, mark, "…");
}

TextTable TextTable::fitted(std::size_t lineWidth, std::vector<std::string> &leftOut) const
{
    TextTable table = *this;
    const auto tooWide = [lineWidth](const std::vector<std::size_t> &widths) {
        return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) > lineWidth;
    };
    if (lineWidth == 0 || !tooWide(table.widths(0)))
        return table;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i].align == Align::Name)
            table.shortenBeginnings(i);
    }
    while (table.m_columns.size() > 1 && tooWide(table.widths(lineWidth))) {
        leftOut.insert(leftOut.begin(), table.m_columns.back().header);
        table.m_columns.pop_back();
        for (auto &row : table.m_rows)
            row.pop_back();
    }
    return table;
}

std::optional<TextTable> TextTable::selected(std::span<const std::string> titles) const
{
    std::vector<std::size_t> places;
    for (const std::string &title : titles) {
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string &header = m_columns[i].header;
            if (header == title || header.substr(0, header.rfind(' ')) == title)
                places.push_back(i);
        }
    }
    if (places.empty())
        return std::nullopt;
    const auto picked = [&places](const auto &all) {
        std::remove_cvref_t<decltype(all)> some;
        for (const std::size_t place : places)
            some.push_back(all[place]);
        return some;
    };
    TextTable table(picked(m_columns));
    for (const auto &row : m_rows)
        table.m_rows.push_back(picked(row));
    return table;
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

/// One line, or the number of lines that the longest cell takes.
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

std::string ColumnFacts::header() const
{
    return unit.empty() ? std::string(title) : fmt::format("{} {}", title, unit);
}

std::string text(const Value &value, std::string_view unknown)
{
    return std::visit(
        Visitor{[&](const Unknown &) { return std::string(unknown); },
                [](const Nothing &) { return std::string(); },
                [](const Absent &) { return std::string(); },
                [](bool yes) { return std::string(yes ? "yes" : "no"); },
                [](const Count &count) { return grouped(count.number); },
                [](const Code &code) { return fmt::format("{}", code.number); },
                [](const Hex &hex) { return hexText(hex.number, hex.digits); },
                [&](const Ratio &ratio) {
                    return std::isfinite(ratio.number) ? ratioText(ratio.number)
                                                       : std::string(unknown);
                },
                [&](const Percent &percent) {
                    return std::isfinite(percent.fraction) ? percentText(percent.fraction)
                                                           : std::string(unknown);
                },
                [](const Real &real) { return realText(real); },
                [](const Seconds &time) { return fmt::format("{:.4g}", time.number); },
                [](const Written &written) { return written.text; },
                [](const Word &word) { return wordText(word); },
                [](const FilePlace &place) { return filePlaceText(place); },
                [](const View &view) { return std::string(view); },
                [](const std::string &own) { return own; },
                [](const List &list) { return listText(list); }},
        value);
}

std::string plainText(const Value &value)
{
    return std::visit(
        Visitor{[](const Unknown &) { return std::string(); },
                [](const Count &count) { return fmt::format("{}", count.number); },
                [](const Ratio &ratio) {
                    return std::isfinite(ratio.number) ? fmt::format("{}", ratio.number) : "";
                },
                [](const Percent &percent) {
                    return std::isfinite(percent.fraction) ? fmt::format("{}", percent.fraction)
                                                           : "";
                },
                [](const Real &real) { return fmt::format("{}", real.number); },
                [](const Seconds &time) { return fmt::format("{}", time.number); },
                [](const Written &written) { return fmt::format("{}", written.number); },
                [&](const auto &) { return printable(text(value)); }},
        value);
}

Json json(const Value &value)
{
    return std::visit(Visitor{[](const Unknown &) { return Json(nullptr); },
                              [](const Nothing &) { return Json(nullptr); },
                              [](const Absent &) { return Json(nullptr); },
                              [](bool yes) { return Json(yes); },
                              [](const Count &count) { return numberJson(count.number); },
                              [](const Code &code) { return numberJson(code.number); },
                              [](const Hex &hex) { return numberJson(hex.number); },
                              [](const Ratio &ratio) { return ratioJson(ratio.number); },
                              [](const Percent &percent) { return ratioJson(percent.fraction); },
                              [](const Real &real) { return finiteJson(real.number); },
                              [](const Seconds &time) { return finiteJson(time.number); },
                              [](const Written &written) { return finiteJson(written.number); },
                              [](const Word &word) { return Json(wordText(word)); },
                              [](const FilePlace &place) { return Json(filePlaceText(place)); },
                              [](const View &view) { return Json(view); },
                              [](const std::string &own) { return Json(own); },
                              [](const List &list) { return Json(list); }},
                      value);
}

SortValue sortValue(const Value &value)
{
    return std::visit(
        Visitor{
            [](const Unknown &) { return SortValue(); },
            [](const Nothing &) { return SortValue(); }, [](const Absent &) { return SortValue(); },
            [](bool yes) { return SortValue(std::uint64_t(yes ? 1 : 0)); },
            [](const Count &count) { return SortValue(count.number); },
            [](const Code &code) { return SortValue(code.number); },
            [](const Hex &hex) { return SortValue(hex.number); },
            [](const Ratio &ratio) {
                return std::isfinite(ratio.number) ? SortValue(ratio.number) : SortValue();
            },
            [](const Percent &percent) {
                return std::isfinite(percent.fraction) ? SortValue(percent.fraction) : SortValue();
            },
            [](const Real &real) { return numberOrder(real.number); },
            [](const Seconds &time) { return numberOrder(time.number); },
            [](const Word &word) {
                return word.rank >= 0 ? SortValue(static_cast<std::uint64_t>(word.rank))
                                      : SortValue(wordText(word));
            },
            [](const FilePlace &place) {
                return SortValue(fmt::format("{}+{:016x}", place.file, place.offset.value_or(0)));
            },
            [](const Written &written) { return numberOrder(written.number); },
            [&](const auto &) { return SortValue(text(value)); }},
        value);
}

TextTable emptyTextTable(const std::vector<ColumnFacts> &columns, const Titles &titles)
{
    std::vector<TextTable::Column> shown;
    for (const ColumnFacts &column : columns) {
        std::string header = column.header();
        for (const auto &[key, title] : titles) {
            if (key == column.key)
                header = title;
        }
        shown.push_back({std::move(header), column.align});
    }
    return TextTable(std::move(shown));
}

std::string csvLine(std::vector<std::string> cells)
{
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += (i == 0 ? "" : ",") + csvField(std::move(cells[i]));
    return line + "\n";
}

std::vector<std::size_t> columnOrder(const std::vector<ColumnFacts> &columns,
                                     const std::vector<std::string_view> &first, Shown where)
{
    std::vector<std::size_t> order;
    for (const std::string_view key : first) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].key == key && (columns[i].shown & where) != 0)
                order.push_back(i);
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if ((columns[i].shown & where) != 0 &&
            std::ranges::find(first, columns[i].key) == first.end())
            order.push_back(i);
    }
    return order;
}

} // namespace kernscope::report
