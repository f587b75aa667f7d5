// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>

#include <cstddef>
#include <vector>

namespace kernscope::ui {

/// Where cells are after the rows of a model were put in another order, for
/// changePersistentIndexList(). `before` and `after` hold the item of each shown row: the same
/// items, 0 to one less than their number.
inline QModelIndexList movedCells(const QAbstractItemModel &model, const QModelIndexList &cells,
                                  const std::vector<std::size_t> &before,
                                  const std::vector<std::size_t> &after)
{
    std::vector<int> rows(after.size());
    for (std::size_t row = 0; row < after.size(); ++row)
        rows[after[row]] = static_cast<int>(row);
    QModelIndexList moved;
    for (const QModelIndex &cell : cells)
        moved.push_back(
            model.index(rows[before[static_cast<std::size_t>(cell.row())]], cell.column()));
    return moved;
}

} // namespace kernscope::ui
