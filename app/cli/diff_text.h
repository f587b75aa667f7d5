// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/difference_json.h"

namespace kernscope::cli {

using Checked = report::CheckedDifference;

struct DiffTextOptions {
    DiffOptions options;
    bool limits = false; ///< limits were given: say what exceeds them
    std::string target;  ///< chip whose outcomes are said, as given; empty: target::defaultTarget()
};

/// Of two builds what differenceText() has, then the verdict and what exceeds its limit; of several
/// a line for each and the table of weights down and builds across.
std::string differencesText(std::span<const Checked> all, const DiffTextOptions &options);

} // namespace kernscope::cli
