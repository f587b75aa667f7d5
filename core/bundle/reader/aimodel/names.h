// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/aimodel/module_graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Names of values, which the file does not have (coreai-format.md, section 8).
namespace kernscope::aimodel {

/// What debug information says of an operation.
struct Location {
    std::string name;   ///< of a name location, or metadata of a name of its own: "conv1.weight"
    std::string scope;  ///< call stack, outermost first, and the node: "Net_1/Conv2d_2/addmm"
    std::string source; ///< source lines, innermost first: "conv.py:553 < nets.py:10"
};
/// Bounded; empty texts where it says nothing.
Location readLocation(const mlir::Module &module, std::uint32_t location);
/// The number that debug information of a compiled program knows the operation by; nothing where
/// the location has none.
std::optional<std::uint64_t> operationId(const mlir::Module &module, std::uint32_t location);

/// Names of the values of one graph, unique in it and the same for two builds of one network:
/// inputs and outputs by their own, weights by the best that the file says of them, all others by
/// their operation and how many there were of it before.
class ValueNames
{
public:
    /// `weights`: of the whole module (ModuleGraph::weights); `noNames`: their sharedLocations().
    ValueNames(const ModuleGraph &graph, std::uint32_t graphOperation,
               const std::vector<std::uint32_t> &weights, const std::set<std::string> &noNames);

    const std::string &ofValue(std::uint32_t value) const;
    /// Names of the graph's inputs and outputs as its attributes have them; empty: none.
    const std::vector<std::string> &inputs() const { return m_inputs; }
    const std::vector<std::string> &outputs() const { return m_outputs; }

private:
    void nameOperations(std::uint32_t from, std::uint32_t to);
    void nameWeights(const std::vector<std::uint32_t> &weights);
    std::string weightName(std::uint32_t value, const std::vector<ValueUse> &readers) const;
    void nameParts(std::uint32_t value, const std::string &name);
    std::string roleIn(const ValueUse &use) const;
    void give(std::uint32_t value, std::string name);
    void giveArguments(const mlir::Operation &operation, const std::vector<std::string> &names,
                       const std::string &prefix);

    const ModuleGraph &m_graph;
    std::uint32_t m_operation, m_end;
    std::vector<std::string> m_inputs, m_outputs;
    std::map<std::uint32_t, std::string> m_operations, m_values;
    std::set<std::string, std::less<>> m_taken;
    const std::set<std::string> &m_noNames;
};

/// Names and scopes of locations that most of the weights share, which are no names: one writer
/// gives all constants, and what reads them, that of a single operation.
std::set<std::string> sharedLocations(const ModuleGraph &graph,
                                      const std::vector<std::uint32_t> &weights);

/// The graph that an invoke calls: its position; kNone where there is no such graph.
std::uint32_t calleeOf(const ModuleGraph &graph, const mlir::Operation &invoke);

/// "aicode.name" of each entry of an argAttrs or resAttrs attribute.
std::vector<std::string> argumentNames(const mlir::Module &module, std::uint32_t attribute);
/// Names of the graphs, in their order: "main". Writers end those of private ones with eight
/// letters that are others in each file ("layer_norm_iwlhkctc"); these are left out.
std::vector<std::string> graphNames(const ModuleGraph &graph);
/// The order in which graphs are shown, as places of graphs(): "main", what can be run beside it,
/// then the private ones.
std::vector<std::size_t> graphOrder(const ModuleGraph &graph,
                                    const std::vector<std::string> &names);

} // namespace kernscope::aimodel
