// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/command_json.h"

#include <vector>

namespace kernscope::cli {

using report::SelftestStep;

/// Takes the embedded sample end to end, in memory and in a temporary folder that it removes.
/// Stops at the first step that the later ones need.
std::vector<SelftestStep> runSelftest();

} // namespace kernscope::cli
