// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/assessment/geometry.h"
#include "core/assessment/weight_facts.h"
#include "core/report/column.h"

/// What `geometry` cannot place.
namespace kernscope::report {

/// A layer without a geometry, or a weight in no layer.
struct UnplacedWeight {
    std::string weight, address;
    std::string consumer; ///< operation and its name; empty where nothing reads the weight
    std::string reason;
};
std::vector<UnplacedWeight> unplacedWeights(const Bundle &bundle);
extern const TableOf<UnplacedWeight> unplacedTable;

// What is worked out of the engine, figure by figure: the docks Geometry and Collective, and the
// text of the commands.

/// A figure with what explains it, or a heading of the figures that follow.
struct EngineFact {
    std::string what;
    Value value = Nothing();
    std::string remark = {}, source = {};
    std::optional<format::Confidence> confidence = {};
    bool heading = false;
};

/// Every figure of a geometry.
std::vector<EngineFact> geometryFacts(const decision::LayerOperation &operation,
                                      const decision::Geometry &geometry);
extern const TableOf<EngineFact> geometryFactTable;

/// The input of the arithmetic of the collective layer.
struct CollectiveAsked {
    decision::Mesh mesh;
    std::vector<std::uint64_t> device;            ///< coordinates
    std::uint64_t index = 0;                      ///< of an engine
    std::vector<std::uint64_t> tensor;            ///< extents
    std::vector<std::optional<std::size_t>> axes; ///< mesh axis of each axis of the tensor
    std::uint32_t reduction = 0, dataType = 0;
};
/// Mesh, sharding, reductions, operations and the capability bytes of a chip. What the arithmetic
/// refuses says why.
std::vector<EngineFact> collectiveFacts(const CollectiveAsked &asked, const target::Target &target);
/// The same without confidence: all of it is decoded, none of it measured.
extern const TableOf<EngineFact> collectiveFactTable;

/// For people, a line a figure: "    passes            128  the other reading: 64 [listing 20.2]".
std::string engineFactsText(const std::vector<EngineFact> &facts);

Json geometryJson(const decision::LayerOperation &operation, const decision::Geometry &geometry);
/// Who computes with an operation that `geometry` judged.
struct JudgedLayer {
    std::string_view weight; ///< empty: the numbers were typed in
    std::string_view function, consumer, op;
    std::string address = {}; ///< of the weight
};
Json judgedJson(const JudgedLayer &layer, const decision::LayerOperation &operation,
                const decision::Geometry &geometry, const roofline::Assessment &assessment);
Json conditionJson(const decision::Condition &condition);

/// `unplaced` and `bundle` of `geometry`.
void addUnplaced(Json &document, const Bundle &bundle, const std::vector<UnplacedWeight> &unplaced);
/// `operations` of `geometry`: what judgedJson() gave for each.
void addOperations(Json &document, std::vector<Json> operations);

} // namespace kernscope::report
