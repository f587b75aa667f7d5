// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"

#include <string>

namespace kernscope::decision {

/// One sentence: the smallest set of changes that whoever compresses the weight can make (form,
/// width, codebooks, symmetry, share of zeros) after which it streams on the verdict's target, each
/// set tried by judging the changed form. Another form counts only where its bytes are fewer than
/// the dense fp16 ones. Says so where there is none, where it streams already, and where no kernel
/// of the engine reads the weight, for the gates apply to kernels, and a bias is always dense.
std::string nearestChange(const WeightForm &form, const Verdict &verdict);

/// What that sentence depends on beside WeightForm::signature(): equal for forms of equal signature
/// that get the same one.
std::string nearestChangeKey(const WeightForm &form);

} // namespace kernscope::decision
