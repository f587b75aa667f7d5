// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"

#include <vector>

namespace kernscope::report {

/// Every declared table, without its rows: what the tests hold to account, and the terms that a
/// translation needs.
std::vector<TableFacts> declaredTables();

} // namespace kernscope::report
