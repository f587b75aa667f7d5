// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/weight_table.h"

#include <vector>

/// Private to weightTable(): the columns for which the values of a weight are read.
namespace kernscope::report {

using WeightColumns = std::vector<Column<WeightFacts>>;

/// Share of zeros, range, mean and deviation, counts of what is not finite, the hash of the values.
WeightColumns weightValueColumns();

} // namespace kernscope::report
