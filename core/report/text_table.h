// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernscope::report {

/// Rows for people: columns as wide as their widest cell, two spaces between them. Where the line
/// is narrower, words go on in further lines of their row, and cells of names are shortened in the
/// middle; numbers never are: a table of many of them may still be wider than the line.
class TextTable
{
public:
    enum class Align {
        Left, ///< words, which may take several lines
        Right,
        Name ///< left, and may be shortened
    };
    struct Column {
        std::string header;
        Align align = Align::Left;
    };
    explicit TextTable(std::vector<Column> columns);
    /// One cell a column; made printable().
    void add(std::vector<std::string> cells);
    bool empty() const { return m_rows.empty(); }

    /// Without a newline: the first is the header. Every line indented by two spaces. For a line of
    /// so many columns; 0 for any number, where each row is one line.
    std::vector<std::string> lines(std::size_t lineWidth) const;

private:
    std::vector<std::size_t> widths(std::size_t lineWidth) const;
    std::size_t leastWidth(std::size_t column, std::size_t longestWord) const;
    void narrow(Align align, std::size_t longestWord, std::size_t fair, std::size_t lineWidth,
                std::vector<std::size_t> &widths) const;
    void appendRow(std::vector<std::string> &lines, const std::vector<std::string> &row,
                   const std::vector<std::size_t> &widths) const;

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace kernscope::report
