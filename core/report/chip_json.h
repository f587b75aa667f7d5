// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/report/json.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>

/// The documents of `decide`, `geometry`, `roofline` and `targets`.
namespace kernscope::report {

/// A contested figure: value, source, confidence.
Json figureJson(const target::ChosenFigure &figure);
Json targetJson(const target::Target &target);
/// The target that was judged by: its name, what it was asked for by, what else the name may mean.
Json chosenTargetJson(const target::Target &target, const target::TargetChoice &choice,
                      const target::NamedTarget *named = nullptr);

/// One verdict with every reason.
Json verdictJson(const decision::Verdict &verdict);
Json memoryJson(const decision::KernelMemory &memory);
Json speedupJson(const std::optional<decision::Speedup> &speedup);
/// The figures that were measured of a form, each with its conditions.
Json measuredJson(std::span<const decision::Measurement> measured);

/// Writes the document of `decide`, piece by piece. Up to kInlineDecisions decisions carry their
/// reasons; of more, each names its verdict by index in `verdicts[]` and has none of its own, since
/// ten thousand weights of five forms share a few dozen verdicts.
inline constexpr std::size_t kInlineDecisions = 20000;
void writeDecisions(const Bundle &bundle, const DecisionTable &table, Json head,
                    const Diagnostics &diagnostics,
                    const std::function<void(std::string_view)> &write);

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

/// Derived energy, or null: `{"low_j","high_j","basis","source","conditions_hold","method"}`
Json energyJson(const std::optional<roofline::Energy> &energy);
Json ceilingJson(const roofline::Ceiling &ceiling);
/// Operations and bytes are counts: integers, though the roofs are worked out with doubles. Null
/// for what is not known or no 64-bit count.
Json roundedJson(const std::optional<double> &count);
/// The roofs that a layer is held against: "compute", "weights", "activations"; null where none is
/// published.
Json roofsJson(const roofline::Assessment &point);
Json assessmentJson(const roofline::Assessment &point);
Json programJson(const roofline::ProgramTime &program);
/// Adds ceilings, ridge, floor, working set and layers.
void addRoofline(Json &document, const Bundle &bundle, const roofline::Roofs &roofs,
                 std::span<const roofline::Placement> placements, std::uint64_t batch,
                 const roofline::ProgramTime &program);
/// `unassessed[]`: each weight that is in no layer, with the reason.
void addUnassessed(Json &document, const Bundle &bundle);

} // namespace kernscope::report
