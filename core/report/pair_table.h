// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/diff/diff.h"
#include "core/diff/severity.h"
#include "core/report/column.h"

#include <optional>
#include <string>

/// The weights of two bundles side by side: the window's table of pairs, the text of `diff`, its
/// CSV, Markdown and HTML.
namespace kernscope::report {

/// A pair of weights, a part of a split or merged one, or a weight that one side alone has.
struct PairFacts {
    std::string name, nameB; ///< empty where that side has none
    std::string names = {};  ///< of both in one text: "w", or "w > w_b" where they differ
    std::string function = {};
    std::string formA = {}, formB = {};
    std::optional<ByteCount> bytesA = {}, bytesB = {}; ///< stored; empty where not known
    std::optional<double> storedRatio = {};            ///< of B over A
    const ValueDifference *values = nullptr; ///< B against A, of the comparison, which outlives it
    bool asked = true;                       ///< values were to be compared: else no column of them
    std::string pairing = {};                ///< "consumer", as JSON and CSV have it
    std::string pairedBy = {};               ///< "by the op that uses them (a guess)"
    std::optional<decision::Outcome> outcome = {}; ///< of B on the chosen chip
    std::string changes = {}, verdict = {}, limits = {};
    PairSeverity severity = {}; ///< by which rows are ordered, the worst first
};

/// What the tables say of a pair; without its limits.
PairFacts pairFacts(const Bundle &a, const Bundle &b, const WeightPair &pair);
/// Of one part of a split or merged weight.
PairFacts partFacts(const Bundle &a, const Bundle &b, const JoinedWeights &joined,
                    std::size_t part);
/// Of a weight that A (else B) alone has.
PairFacts aloneFacts(const Bundle &bundle, std::size_t weight, bool ofA);
/// "by name", and whether that is a guess.
std::string pairedByText(const WeightPair &pair);
/// "12,032 equal, 3 changed, 1 not finite"; "all 12,035 equal".
std::string elementCountsText(const ValueDifference &values);

/// A figure of values; in words where it is not finite.
Value errorFigure(const ValueDifference &values, const Real &number);

const TableOf<PairFacts> &pairTable();

} // namespace kernscope::report
