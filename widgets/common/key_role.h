// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/table_text.h"

namespace kernscope::ui {

/// Role of a header: the column's key in files, the same as the command line's.
inline constexpr int KeyRole = CopyRole + 1;

} // namespace kernscope::ui
