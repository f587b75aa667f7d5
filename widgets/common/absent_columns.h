// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/row_table_model.h"

#include <QHeaderView>
#include <QVariant>

namespace kernscope::ui {

/// Property of a header, a list of numbers: columns that are hidden because no row has them. What
/// the user hides is not among them.
inline constexpr char kAbsentColumns[] = "kernscopeAbsentColumns";

/// Hides the columns of the model that no row has, and shows those again that it hid before. A
/// table without rows shows all that the user has not hidden.
inline void hideAbsentColumns(QHeaderView &header, const RowTableModel &model)
{
    QVariantList absent;
    const QVariantList before = header.property(kAbsentColumns).toList();
    for (int column = 0; column < model.columnCount(); ++column) {
        const bool ours = before.contains(column);
        const bool none = model.rowCount() > 0 && model.isAbsent(column);
        if (none && (ours || !header.isSectionHidden(column)))
            absent << column;
        if (none || ours)
            header.setSectionHidden(column, none);
    }
    header.setProperty(kAbsentColumns, absent);
}

} // namespace kernscope::ui
