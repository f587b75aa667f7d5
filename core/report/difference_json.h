// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/limits.h"
#include "core/compare/value_difference.h"
#include "core/report/checked_difference.h"
#include "core/report/json.h"

#include <span>

namespace kernscope::report {

/// Codebooks entry to entry, as `diff --codebooks` has them.
Json codebookMatchJson(const CodebookMatch &match);
/// `diff` of two builds, with its `verdict`.
Json checkedDifferenceJson(const CheckedDifference &checked);
/// The same of one; of several builds against the first: `comparisons`, each as that of two, and
/// `matrix`, weights down and builds across.
Json differencesJson(std::span<const CheckedDifference> all);

// How the documents of comparisons write figures.

/// What JSON has no number for is said in words: "inf", "not finite".
Json figureJson(const LimitFigure &figure);
/// A number where a double holds it, otherwise the digits as a string.
Json exactJson(ExactValue value);

} // namespace kernscope::report
