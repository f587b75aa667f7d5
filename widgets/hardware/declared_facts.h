// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/fact_tree_model.h"
#include "widgets/models/window_columns.h"

#include <cstdint>
#include <variant>
#include <vector>

/// Rows of a FactTreeModel whose cells are those of a declared table.
namespace kernscope::ui {

template <class Row>
std::vector<FactColumn> factColumns(const WindowColumns<Row> &declared)
{
    std::vector<FactColumn> columns;
    for (int i = 0; i < declared.count(); ++i)
        columns.push_back({declared.header(i, Qt::DisplayRole).toString(),
                           declared.header(i, Qt::ToolTipRole).toString(),
                           declared.facts(i).number()});
    return columns;
}

/// The cells of a row, and the numbers that it sorts by.
template <class Row>
FactNode factNode(const WindowColumns<Row> &declared, const Row &row)
{
    FactNode node;
    for (int column = 0; column < declared.count(); ++column) {
        node.cells += declared.cell(column, row, Qt::DisplayRole).toString();
        const report::SortValue sort = declared.order(column, row);
        if (const auto *number = std::get_if<std::uint64_t>(&sort))
            node.numbers.emplace_back(column, *number);
    }
    return node;
}

} // namespace kernscope::ui
