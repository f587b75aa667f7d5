// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace kernscope::ui {

/// The Markdown with its tables as lists where they have more columns than a page of `ems` shows
/// well: an item a row, named by the first cell, and below it the others with their titles.
QString narrowTables(const QString &markdown, double ems);

} // namespace kernscope::ui
