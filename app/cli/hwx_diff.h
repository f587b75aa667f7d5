// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/hwx_run.h"

namespace kernscope::cli {

/// `hwx --diff`: tasks aligned by what they write, weights, and the sections whose bytes differ.
/// Returns the exit code: 0 only where the two files hold the same bytes.
int runHwxDiff(const HwxOptions &options, Context &context);

} // namespace kernscope::cli
