// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kernscope::report {

/// Rows for people: columns as wide as their widest cell, two spaces between them. Where the line
/// is narrower, cells of names are shortened in the middle; numbers never are.
class TextTable
{
public:
    enum class Align { Left, Right, Name /**< left, and may be shortened */ };
    struct Column {
        std::string header;
        Align align = Align::Left;
    };
    explicit TextTable(std::vector<Column> columns);
    /// One cell a column; made printable().
    void add(std::vector<std::string> cells);
    bool empty() const { return m_rows.empty(); }

    /// Without a newline: the first is the header. Every line indented by two spaces. For a line of
    /// so many columns; 0 for any number.
    std::vector<std::string> lines(std::size_t lineWidth) const;

private:
    std::vector<std::size_t> widths(std::size_t lineWidth) const;

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace kernscope::report
