// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"

namespace kernscope::decision {

/// One sentence: the least change of use, form or chip that would give another outcome.
std::string nearestChange(const WeightForm &form, const Verdict &verdict);

} // namespace kernscope::decision
