// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <span>

namespace kernscope::diff {

/// Sets ComparedPair::moved: of weights in other models, functions or files (where both sides have
/// those), and of those that come after other weights than in A: the fewest whose places explain
/// the order of the rest.
void markMoved(const Bundle &a, const Bundle &b, std::span<ComparedPair> pairs);

/// How sure a pair is, once everything else of it is known. `shared`: other weights have the
/// content that it was found by; `namedByPlace`: names are made of offsets.
PairConfidence confidenceOf(const ComparedPair &pair, bool shared, bool namedByPlace);

} // namespace kernscope::diff
