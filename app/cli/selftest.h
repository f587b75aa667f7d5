// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace kernscope::cli {

/// One thing that an installed program must be able to do.
struct SelftestStep {
    std::string name;
    bool passed = false;
    std::string detail; ///< figures, or why it failed
};

/// Takes the embedded sample end to end, in memory and in a temporary folder that it removes.
/// Stops at the first step that the later ones need.
std::vector<SelftestStep> runSelftest();

} // namespace kernscope::cli
