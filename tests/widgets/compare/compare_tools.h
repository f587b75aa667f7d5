// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/widgets/sample_session.h"
#include "widgets/compare/compare_dock.h"

/// What tests ask the docks of a comparison.
namespace kernscope::test {

inline QStringList texts(std::initializer_list<const char *> list)
{
    QStringList made;
    for (const char *text : list)
        made << QString::fromUtf8(text);
    return made;
}

inline QString cellText(const ui::CompareDock &dock, int row, std::string_view key)
{
    return dock.model().index(row, dock.model().columnOf(key)).data().toString();
}

/// The row that holds weight `index` of that side; kNoIndex where none does.
inline std::size_t rowOf(const ui::CompareModel &model, bool ofA, std::size_t index)
{
    const auto row = std::ranges::find_if(model.rows(), [&](const report::PairRow &one) {
        return (ofA ? one.onA() : one.onB()) && (ofA ? one.pair.a : one.pair.b) == index;
    });
    return row == model.rows().end() ? kNoIndex : std::size_t(row - model.rows().begin());
}

/// The colour inside a cell of a picture.
inline QColor colorAt(ui::TileView &view, const ui::Cell &cell)
{
    return view.viewport()->grab().toImage().pixelColor(view.cellRect(cell).topLeft() +
                                                        QPoint(3, 3));
}

/// Cell of a row by its first column; empty where there is no such row.
inline QString cellOf(const QTableView &table, const QString &row, int column)
{
    const QAbstractItemModel &model = *table.model();
    for (int i = 0; i < model.rowCount(); ++i) {
        if (model.index(i, 0).data().toString() == row)
            return model.index(i, column).data().toString();
    }
    return {};
}

} // namespace kernscope::test
