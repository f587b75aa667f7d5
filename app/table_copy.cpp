// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_copy.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include <algorithm>
#include <vector>

namespace kernscope::app {

namespace {

const QHeaderView *headerOf(const QAbstractItemView &view)
{
    if (const auto *table = qobject_cast<const QTableView *>(&view))
        return table->horizontalHeader();
    const auto *tree = qobject_cast<const QTreeView *>(&view);
    return tree ? tree->header() : nullptr;
}

/// One index a selected row, from the top down; the rows of a tree by the path that leads to them.
std::vector<QModelIndex> selectedRows(const QAbstractItemView &view)
{
    const auto path = [](QModelIndex index) {
        std::vector<int> rows;
        for (; index.isValid(); index = index.parent())
            rows.insert(rows.begin(), index.row());
        return rows;
    };
    std::vector<std::pair<std::vector<int>, QModelIndex>> found;
    for (const QModelIndex &index : view.selectionModel()->selectedIndexes())
        found.emplace_back(path(index), index.siblingAtColumn(0));
    std::sort(found.begin(), found.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<QModelIndex> rows;
    for (const auto &[at, index] : found) {
        if (rows.empty() || rows.back() != index)
            rows.push_back(index);
    }
    return rows;
}

std::vector<ui::WrittenColumn> columnsOf(const QAbstractItemView &view, const QModelIndex &row)
{
    const QAbstractItemModel &model = *view.model();
    const QHeaderView *header = headerOf(view);
    std::vector<ui::WrittenColumn> columns;
    for (int visual = 0; visual < model.columnCount(row.parent()); ++visual) {
        const int logical = header ? header->logicalIndex(visual) : visual;
        if (!header || !header->isSectionHidden(logical))
            columns.push_back(ui::writtenColumn(model, logical, row));
    }
    return columns;
}

} // namespace

QString copiedTable(const QAbstractItemView &view, ui::TableFormat format)
{
    if (!view.model() || !view.selectionModel())
        return {};
    const std::vector<QModelIndex> rows = selectedRows(view);
    if (rows.empty())
        return {};
    return ui::rowsAs(rows, columnsOf(view, rows.front()), format);
}

} // namespace kernscope::app
