// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/report/column.h"

namespace kernscope::report {

/// Faults: `diagnostics[]` of every document, and the Diagnostics dock.
const TableOf<Diagnostic> &diagnosticTable();

} // namespace kernscope::report
