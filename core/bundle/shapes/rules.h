// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/operation_view.h"

#include <string>
#include <string_view>
#include <vector>

/// The shape of what an operation makes, from those of its operands. Which operation follows which
/// rule is a row of resources/tables/shape_rules.csv.
namespace kernscope::shapes {

using Operands = std::vector<std::string>;
using Rule = Outcome (*)(const OperationView &, const Operands &);

/// What a row of the table says of an operation.
struct RuleRow {
    Rule rule = nullptr;
    Operands operands; ///< names that the rule is told, in the order that it takes them
};
/// Null for an operation that no row names.
const RuleRow *ruleOf(std::string_view operation);
/// The rule of that name; null where there is none.
Rule ruleByName(std::string_view name);
/// Operations of the table whose rule has no code: none, or a test fails.
std::vector<std::string> rowsWithoutRule();

// same, broadcast, reduce, softmax and everything else that works element by element.
Outcome sameRule(const OperationView &view, const Operands &names);
Outcome broadcastRule(const OperationView &view, const Operands &names);
Outcome reduceRule(const OperationView &view, const Operands &names);
Outcome argumentRule(const OperationView &view, const Operands &names);

// Kernels: [n, channels, spatial …].
Outcome convRule(const OperationView &view, const Operands &names);
Outcome convTransposeRule(const OperationView &view, const Operands &names);
Outcome poolRule(const OperationView &view, const Operands &names);

// Products.
Outcome linearRule(const OperationView &view, const Operands &names);
Outcome matmulRule(const OperationView &view, const Operands &names);
Outcome einsumRule(const OperationView &view, const Operands &names);
Outcome attentionRule(const OperationView &view, const Operands &names);
Outcome recurrentRule(const OperationView &view, const Operands &names);

// Layout.
Outcome reshapeRule(const OperationView &view, const Operands &names);
Outcome flattenRule(const OperationView &view, const Operands &names);
Outcome transposeRule(const OperationView &view, const Operands &names);
Outcome expandDimsRule(const OperationView &view, const Operands &names);
Outcome squeezeRule(const OperationView &view, const Operands &names);
Outcome concatRule(const OperationView &view, const Operands &names);
Outcome stackRule(const OperationView &view, const Operands &names);
Outcome splitRule(const OperationView &view, const Operands &names);
Outcome padRule(const OperationView &view, const Operands &names);
Outcome tileRule(const OperationView &view, const Operands &names);
Outcome blockRule(const OperationView &view, const Operands &names);
Outcome batchRule(const OperationView &view, const Operands &names);

// Parts of a tensor.
Outcome sliceByIndexRule(const OperationView &view, const Operands &names);
Outcome sliceBySizeRule(const OperationView &view, const Operands &names);
Outcome slidingWindowsRule(const OperationView &view, const Operands &names);
Outcome gatherRule(const OperationView &view, const Operands &names);
Outcome gatherNdRule(const OperationView &view, const Operands &names);
Outcome topkRule(const OperationView &view, const Operands &names);
Outcome suppressionRule(const OperationView &view, const Operands &names);

// Images.
Outcome upsampleRule(const OperationView &view, const Operands &names);
Outcome resizeRule(const OperationView &view, const Operands &names);
Outcome resampleRule(const OperationView &view, const Operands &names);

// Tensors of a shape that another value gives.
Outcome filledRule(const OperationView &view, const Operands &names);
Outcome listGatherRule(const OperationView &view, const Operands &names);
Outcome listScatterRule(const OperationView &view, const Operands &names);
Outcome scalarRule(const OperationView &view, const Operands &names);
Outcome shapeRule(const OperationView &view, const Operands &names);
Outcome rangeRule(const OperationView &view, const Operands &names);
Outcome oneHotRule(const OperationView &view, const Operands &names);
Outcome drawnRule(const OperationView &view, const Operands &names);
Outcome denseRule(const OperationView &view, const Operands &names);
Outcome paletteRule(const OperationView &view, const Operands &names);
Outcome survivorsRule(const OperationView &view, const Operands &names);

/// The integers that an operation makes of known ones (`shape`, `gather`, `concat`, `add`, …), so
/// that shapes which a program works out are followed. Added to `outputs`.
void followNumbers(const OperationView &view, std::vector<Tensor> &outputs);

} // namespace kernscope::shapes
