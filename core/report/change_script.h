// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <string>

namespace kernscope::report {

/// Edits as a script for `patch`, which make the weights of B out of A: one stored code a line with
/// what it was, under the digests of A and of the result (core/patch/edit/script_origin.h).
///
/// Edits change codes, not layouts: the two must have the same program and every weight the same
/// layout. Errors: "diff.changes" naming what edits cannot say (a weight without a partner, in
/// another form, with another mask; another program) or that there are more than kMostChanges.
Result<std::string> changeScript(const Bundle &a, const Bundle &b, const Difference &difference,
                                 Progress *progress = nullptr);
inline constexpr std::uint64_t kMostChanges = 1'000'000;

} // namespace kernscope::report
