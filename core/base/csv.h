// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

namespace kernscope {

/// A table of facts: a header line and rows of as many cells (RFC 4180 quoting). The project's own
/// tables are embedded from resources/tables (see core/format/table_rows.h).
class CsvTable
{
public:
    /// Errors: "csv.syntax", "csv.columns" (a row with another number of cells; `offset` is the
    /// row's number counted from 1 for the header).
    static Result<CsvTable> parse(std::string_view text, std::string_view name);

    std::size_t rows() const { return m_columns.empty() ? 0 : m_cells.size() / m_columns.size(); }
    const std::vector<std::string> &columns() const { return m_columns; }
    /// Column of that name, or nothing.
    std::optional<std::size_t> column(std::string_view name) const;

    std::string_view cell(std::size_t row, std::size_t column) const
    {
        return m_cells[row * m_columns.size() + column];
    }
    /// Cell by column name; empty where there is no such column.
    std::string_view cell(std::size_t row, std::string_view column) const;

private:
    std::vector<std::string> m_columns;
    std::vector<std::string> m_cells;
};

/// "12", "0x48f", "-3": the whole text or nothing.
std::optional<std::int64_t> parseInteger(std::string_view text);
/// "12e12", "0.5": the whole text or nothing.
std::optional<double> parseNumber(std::string_view text);

} // namespace kernscope
