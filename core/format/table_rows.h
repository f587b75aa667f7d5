// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/csv.h"
#include "core/format/catalogue.h"

#include <concepts>
#include <functional>
#include <initializer_list>
#include <limits>

/// The tables of facts about formats and chips: resources/tables/NAME.csv, embedded by the build.
/// Each has a source and a confidence column; code reads them and holds no such fact itself.
namespace kernscope::tables {

/// The names, in alphabetical order.
std::span<const std::string_view> names();

/// The embedded text; empty for a name that is not one.
std::string_view text(std::string_view name);

/// The embedded table, parsed. Errors: "table.name", those of CsvTable::parse.
Result<CsvTable> load(std::string_view name);

/// The value of `key` in a cell of conditions, "op=conv;bound=compute"; empty where it has none.
std::string_view conditionIn(std::string_view conditions, std::string_view key);

// Rows of an embedded table as values of a type: a list of its columns and where each goes.
//
//     static const auto all = tables::loadRows<Reading>(
//         "contested", {{"topic", &Reading::topic}, {"taken", &Reading::taken}});

/// Takes a cell. What is no number is 0, or nothing where a number may be missing.
inline void readCell(std::string_view cell, std::string &value)
{
    value = cell;
}
inline void readCell(std::string_view cell, bool &value)
{
    value = cell == "yes" || cell == "1";
}
inline void readCell(std::string_view cell, double &value)
{
    value = parseNumber(cell).value_or(0);
}
inline void readCell(std::string_view cell, std::optional<double> &value)
{
    value = parseNumber(cell);
}
inline void readCell(std::string_view cell, format::Confidence &value)
{
    value = format::confidenceFromName(cell);
}
template <std::unsigned_integral Number>
void readCell(std::string_view cell, std::optional<Number> &value)
{
    const auto number = parseInteger(cell);
    const bool fits = number && *number >= 0 &&
                      static_cast<std::uint64_t>(*number) <= std::numeric_limits<Number>::max();
    value = fits ? std::optional(static_cast<Number>(*number)) : std::nullopt;
}
template <std::unsigned_integral Number>
void readCell(std::string_view cell, Number &value)
{
    std::optional<Number> number;
    readCell(cell, number);
    value = number.value_or(0);
}

/// A column of a table and the member of a row that takes it.
template <class Row>
class CsvColumn
{
public:
    template <class Value>
    CsvColumn(std::string_view name, Value Row::*member)
        : m_name(name),
          m_read([member](Row &row, std::string_view cell) { readCell(cell, row.*member); })
    {
    }
    /// `reader` makes of the cell what a member takes.
    template <std::invocable<Row &, std::string_view> Read>
    CsvColumn(std::string_view name, Read reader) : m_name(name), m_read(std::move(reader))
    {
    }

    std::string_view name() const { return m_name; }
    void read(Row &row, std::string_view cell) const { m_read(row, cell); }

private:
    std::string_view m_name;
    std::function<void(Row &, std::string_view)> m_read;
};

/// Every row of the table; none where it cannot be read (the tests read them all). A column that
/// the table does not have gives empty cells.
template <class Row>
std::vector<Row> loadRows(std::string_view table, std::initializer_list<CsvColumn<Row>> columns)
{
    std::vector<Row> rows;
    const auto csv = load(table);
    if (!csv)
        return rows;
    rows.resize(csv->rows());
    for (const CsvColumn<Row> &column : columns) {
        const auto index = csv->column(column.name());
        for (std::size_t i = 0; i < rows.size(); ++i)
            column.read(rows[i], index ? csv->cell(i, *index) : std::string_view());
    }
    return rows;
}

} // namespace kernscope::tables
