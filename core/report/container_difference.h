// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/diff/byte_differences.h"
#include "core/diff/diff.h"
#include "core/diff/task_comparison.h"
#include "core/report/json.h"

#include <string>
#include <utility>
#include <vector>

namespace kernscope::report {

/// Everything that two hardware containers hold, compared.
struct ContainerDifference {
    BundlePtr a, b;
    Difference whole;
    TaskComparison tasks;
    std::vector<std::pair<std::string, ByteTally>> sections; ///< those whose bytes differ
};
/// Everything of `hwx --diff` but the diagnostics.
Json containerDifferenceJson(const ContainerDifference &difference);

} // namespace kernscope::report
