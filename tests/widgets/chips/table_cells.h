// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QString>

/// Cells of the tables of the docks about chips.
namespace kernscope::test {

inline QString textAt(const QAbstractItemModel &model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// Row whose cell in that column is the text; -1: none.
inline int rowWith(const QAbstractItemModel &model, int column, const QString &text)
{
    for (int row = 0; row < model.rowCount(); ++row) {
        if (textAt(model, row, column) == text)
            return row;
    }
    return -1;
}

} // namespace kernscope::test
