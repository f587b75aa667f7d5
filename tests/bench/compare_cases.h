// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/cases.h"

#include <vector>

namespace kernscope::bench {

/// Two builds of one weight: every figure of a comparison, and the same bytes twice.
std::vector<Case> compareCases();

} // namespace kernscope::bench
