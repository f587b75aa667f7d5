// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/weight_table.h"

namespace kernscope::ui {

using report::functionWords;
using report::severalFunctions;

} // namespace kernscope::ui
