// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/text_table.h"

#include "core/base/printable.h"

#include <algorithm>
#include <string_view>
#include <utility>

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

} // namespace

TextTable::TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}

void TextTable::add(std::vector<std::string> cells)
{
    cells.resize(m_columns.size());
    for (std::string &cell : cells)
        cell = printable(cell);
    m_rows.push_back(std::move(cells));
}

/// As wide as the widest cell; of names less, from the widest column on, until the line fits.
std::vector<std::size_t> TextTable::widths(std::size_t lineWidth) const
{
    std::vector<std::size_t> widths;
    std::size_t whole = 0;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t width = widthOf(m_columns[i].header);
        for (const auto &row : m_rows)
            width = std::max(width, widthOf(row[i]));
        widths.push_back(width);
        whole += width + 2;
    }
    while (lineWidth != 0 && whole > lineWidth) {
        std::size_t widest = m_columns.size();
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::size_t least = std::max(kShortestName, widthOf(m_columns[i].header));
            if (m_columns[i].align == Align::Name && widths[i] > least &&
                (widest == m_columns.size() || widths[i] > widths[widest]))
                widest = i;
        }
        if (widest == m_columns.size())
            break;
        --widths[widest];
        --whole;
    }
    return widths;
}

std::vector<std::string> TextTable::lines(std::size_t lineWidth) const
{
    const std::vector<std::size_t> widths = this->widths(lineWidth);
    const auto line = [&](const auto &cellOf) {
        std::string text = " ";
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string cell = shortened(cellOf(i), widths[i]);
            const std::string blank(widths[i] - widthOf(cell), ' ');
            text += ' ';
            text += m_columns[i].align == Align::Right ? blank + cell : cell + blank;
            text += i + 1 < m_columns.size() ? " " : "";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    };
    std::vector<std::string> lines{
        line([this](std::size_t i) -> const std::string & { return m_columns[i].header; })};
    for (const auto &row : m_rows)
        lines.push_back(line([&row](std::size_t i) -> const std::string & { return row[i]; }));
    return lines;
}

} // namespace kernscope::report
