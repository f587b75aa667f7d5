// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace kernscope::cli {

/// What `inspect` prints for people: the bundle, its functions, files and weights, their figures
/// where they were asked for, the sections likewise. `selected`: by weight, whether it is listed.
std::string inspectText(const Bundle &bundle,
                        const std::vector<std::optional<Statistics>> &statistics,
                        const StatisticsOptions &asked, bool withSections,
                        const std::vector<bool> &selected);

} // namespace kernscope::cli
