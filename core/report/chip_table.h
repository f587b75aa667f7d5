// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/column.h"
#include "core/target/target.h"

#include <vector>

namespace kernscope::report {

/// The chips, as `targets` lists them. Rows point into the embedded table.
using ChipFacts = const target::Target *;
const TableOf<ChipFacts> &chipTable();

} // namespace kernscope::report
