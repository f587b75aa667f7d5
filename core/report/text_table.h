// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/counted_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
    const std::vector<Column> &columns() const { return m_columns; }
    const std::vector<std::vector<std::string>> &rows() const { return m_rows; }

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

// How numbers are written for people, in the window and on the command line alike.

using kernscope::counted;
using kernscope::grouped;
/// "82,944 B (81.0 KiB)"; below 1024 without the second figure.
std::string bytesText(std::uint64_t bytes);
/// A sum that lacks `open` terms which are not known: "512 B", "at least 512 B (+ 3 not known)".
std::string sumText(std::string known, std::size_t open);
/// One place and a sign: "63.2 %", of a fraction 0 to 1.
std::string percentText(double fraction);
/// Three places: "0.479".
std::string ratioText(double ratio);
/// "0x02b080": at least `digits` lower-case digits.
std::string hexText(std::uint64_t number, int digits = 1);
/// Three significant digits and a prefix: "12.3 µs", "85 GB/s".
std::string siText(double value, std::string_view unit);
/// One field of a CSV line, quoted where RFC 4180 wants it. A text that a spreadsheet would take
/// for a formula gets an apostrophe in front.
std::string csvField(std::string text);

} // namespace kernscope::report
