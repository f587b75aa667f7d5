// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/table_formats.h"

#include <QString>

class QAbstractItemView;

namespace kernscope::app {

/// The selected rows of a table or tree with the titles of its columns, as the view shows them:
/// hidden columns are left out, moved ones stand where they were moved to. Numbers are without
/// separators (CopyRole); in JSON, an array of objects by title, they are numbers. Without a
/// selection, empty.
QString copiedTable(const QAbstractItemView &view, ui::TableFormat format);

} // namespace kernscope::app
