// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/compare/limits.h"
#include "core/target/target.h"

namespace kernscope {

struct ChipOutcome {
    const target::Target *target = nullptr;
    BuildOutcome before, after; ///< of A and of B
};

/// The worst figure of one measure over all pairs, and parts of split and merged weights, whose
/// values differ.
struct WorstFigure {
    std::string measure;                    ///< ValueMeasure::name
    std::size_t a = kNoIndex, b = kNoIndex; ///< weights of A and of B
    LimitFigure value;
};

/// The result of a comparison: what a release engineer signs.
struct BuildVerdict {
    /// Bytes; a part that weights share counts once. Empty where a weight's are not known.
    std::optional<std::uint64_t> storedA, storedB;
    std::optional<double> storedRatio; ///< B over A; empty where unknown and where A stores nothing
    /// Every value of B is that of A once both are rounded to fp16. Empty: not every weight was
    /// compared, or could be. False where a weight has no partner or another shape.
    std::optional<bool> faithful;
    std::optional<std::size_t> counterexamplePair; ///< the first pair that shows otherwise
    std::optional<ElementPair> counterexample;     ///< and its first such element
    std::vector<WorstFigure> worst;                ///< none where no value differs
    std::vector<ChipOutcome> chips;                ///< of allTargets()
};

/// Costs the tables of both bundles; decodes nothing.
BuildVerdict buildVerdict(const Bundle &a, const Bundle &b, const Difference &difference);
/// The same over decisions that are made already: of all weights of A, and of B, on the same chips.
BuildVerdict buildVerdict(const Bundle &a, const Bundle &b, const Difference &difference,
                          const DecisionTable &before, const DecisionTable &after);

/// "bit-faithful to A apart from fp16 rounding: proved", or the first counterexample with its
/// place, or what was not compared.
std::string faithfulText(const Bundle &a, const Difference &difference,
                         const BuildVerdict &verdict);

} // namespace kernscope
