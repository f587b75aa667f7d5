// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

#include <string>
#include <string_view>

/// Parts of HTML reports: one file that needs no other, light or dark as the browser is.
namespace kernscope::report {

/// Up to and with `<body>`; `title` is plain text.
std::string htmlHead(std::string_view title);
/// What ends such a page.
std::string_view htmlEnd();

/// A cell with its text made safe; numbers to the right.
std::string htmlCell(std::string_view tag, bool number, std::string_view text);

/// The columns with that flag of Shown, without those that no row has.
template <class Row, class Rows>
std::string htmlTable(const TableOf<Row> &table, const Rows &rows, unsigned where = kTerminal)
{
    std::string text = "<div class=\"wide\"><table><thead><tr>";
    std::vector<const Column<Row> *> columns;
    for (const Column<Row> &column : table.columns) {
        if ((column.shown & where) == 0 || column.value == nullptr || absent(column, rows))
            continue;
        columns.push_back(&column);
        text += htmlCell("th", column.facts().number(), column.facts().header());
    }
    text += "</tr></thead><tbody>\n";
    for (const Row &row : rows) {
        text += "<tr>";
        for (const Column<Row> *column : columns)
            text += htmlCell("td", column->facts().number(),
                             report::text(column->value(row), column->unknown));
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

} // namespace kernscope::report
