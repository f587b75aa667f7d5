// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/report/column.h"

namespace kernscope::report {

/// Every condition that a verdict consulted: `decide` and the Stream dock.
const TableOf<decision::Reason> &reasonTable();

} // namespace kernscope::report
