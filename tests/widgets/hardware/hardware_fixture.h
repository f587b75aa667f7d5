// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "synthetic.h"
#include "widgets/models/table_text.h"

/// Bundles of hardware containers and what their docks show.
namespace kernscope::test {

inline BundlePtr bundleOf(test::Bytes bytes, const char *name = "synthetic.hwx")
{
    return Bundle::open(name, {.memory = {{name, std::move(bytes)}}}).value_or(nullptr);
}

inline QModelIndex child(const QAbstractItemModel &model, const QModelIndex &parent,
                         const QString &name)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (index.data(ui::CopyRole).toString() == name)
            return index;
    }
    return {};
}

inline QString cell(const QModelIndex &index, int column)
{
    return index.siblingAtColumn(column).data(ui::CopyRole).toString();
}

} // namespace kernscope::test
