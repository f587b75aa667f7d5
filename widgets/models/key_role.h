// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/table_text.h"

namespace kernscope::ui {

/// Role of a header: the column's key in files, the same as the command line's.
inline constexpr int KeyRole = CopyRole + 1;
/// Role of a row, true where it groups others or is of another kind than the table's rows: it is
/// left out of files.
inline constexpr int GroupRowRole = KeyRole + 1;

} // namespace kernscope::ui
