// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"

namespace kernscope::decision {

/// One sentence: the smallest set of changes that whoever compresses the weight can make (form,
/// width, codebooks, symmetry, share of zeros) after which it streams on the verdict's target, each
/// set tried by judging the changed form. Says so where there is none, or where it streams already.
std::string nearestChange(const WeightForm &form, const Verdict &verdict);

} // namespace kernscope::decision
