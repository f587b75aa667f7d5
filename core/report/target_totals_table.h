// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/report/column.h"

namespace kernscope::report {

/// What each chip does with the weights of a bundle, in figures: as `decide` for all chips and the
/// report of `inspect` list them.
const TableOf<TargetTotals> &targetTotalsTable();

} // namespace kernscope::report
