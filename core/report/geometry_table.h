// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/report/column.h"

#include <string>
#include <vector>

/// What `geometry` cannot place.
namespace kernscope::report {

/// A layer without a geometry, or a weight in no layer.
struct UnplacedWeight {
    std::string weight, address;
    std::string consumer; ///< operation and its name; empty where nothing reads the weight
    std::string reason;
};
std::vector<UnplacedWeight> unplacedWeights(const Bundle &bundle);
const TableOf<UnplacedWeight> &unplacedTable();

} // namespace kernscope::report
