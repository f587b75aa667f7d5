// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

#include <QVariant>

#include <cstddef>
#include <string_view>
#include <vector>

/// The columns of a declared table in the window, for models that are no RowTableModel: trees, and
/// tables with further columns.
namespace kernscope::ui {

/// What a header says in a role: title with unit, explanation, key, alignment.
QVariant columnHeader(const report::ColumnFacts &column, int role);
/// What a cell says in a role: text, what is heard, what is copied and sorted by, tool tip,
/// alignment. It sorts by its value.
QVariant columnCell(const report::ColumnFacts &column, const report::Value &value, int role);
/// The same as a variant that sorts as `sort` does; `value` is that of the cell.
QVariant sortVariant(const report::SortValue &sort, const report::Value &value);

/// Columns of a table that are shown, in their order.
template <class Row>
class WindowColumns
{
public:
    /// Those that are for the window.
    explicit WindowColumns(const report::TableOf<Row> &table)
        : m_table(table),
          m_places(report::columnOrder(table.facts(), table.windowOrder, report::kWindow))
    {
        rememberFacts();
    }
    /// Those of these keys.
    WindowColumns(const report::TableOf<Row> &table, const std::vector<std::string_view> &keys)
        : m_table(table)
    {
        for (const std::string_view key : keys) {
            for (std::size_t i = 0; i < table.columns.size(); ++i) {
                if (table.columns[i].key == key)
                    m_places.push_back(i);
            }
        }
        rememberFacts();
    }

    int count() const { return static_cast<int>(m_places.size()); }
    std::string_view key(int column) const { return facts(column).key; }
    const report::ColumnFacts &facts(int column) const
    {
        return m_facts[static_cast<std::size_t>(column)];
    }
    /// -1 where there is no such column.
    int indexOf(std::string_view key) const
    {
        for (int column = 0; column < count(); ++column) {
            if (facts(column).key == key)
                return column;
        }
        return -1;
    }
    report::Value value(int column, const Row &row) const { return declared(column).value(row); }
    report::SortValue order(int column, const Row &row) const
    {
        const auto order = declared(column).order;
        return order != nullptr ? order(row) : report::sortValue(value(column, row));
    }
    QVariant header(int column, int role) const { return columnHeader(facts(column), role); }
    QVariant cell(int column, const Row &row, int role) const
    {
        return columnCell(facts(column), value(column, row), role);
    }
    QVariant sortData(int column, const Row &row) const
    {
        return sortVariant(order(column, row), value(column, row));
    }

private:
    const report::Column<Row> &declared(int column) const
    {
        return m_table.columns[m_places[static_cast<std::size_t>(column)]];
    }
    void rememberFacts()
    {
        for (const std::size_t place : m_places)
            m_facts.push_back(m_table.columns[place].facts());
    }

    const report::TableOf<Row> &m_table;
    std::vector<std::size_t> m_places;
    std::vector<report::ColumnFacts> m_facts;
};

} // namespace kernscope::ui
