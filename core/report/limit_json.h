// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/limits.h"
#include "core/diff/value_difference.h"
#include "core/report/json.h"

/// How the documents of comparisons write figures.
namespace kernscope::report {

/// What JSON has no number for is said in words: "inf", "not finite".
Json figureJson(const LimitFigure &figure);
/// A number where a double holds it, otherwise the digits as a string.
Json exactJson(ExactValue value);

} // namespace kernscope::report
