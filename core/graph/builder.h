// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/value_graph.h"
#include "core/graph/graph.h"
#include "core/graph/repeats.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kernscope::graph {

/// Fills in a Graph, function by function. Private to Graph.
class Builder
{
public:
    explicit Builder(Graph &graph) : m_graph(graph) {}

    Result<void> run(Progress *progress);

private:
    /// Where an operation stands: in which block of which operation (of ValueGraph), if in any.
    struct Place {
        std::size_t holder = kNone, block = 0;
    };
    /// Nodes of operations by their names.
    using Readers = std::unordered_map<std::string, std::vector<std::size_t>>;

    void addNetworks();
    void addFunction(const mil::Function &function);
    void addOperations(const mil::Block &block, std::size_t holder, std::size_t number);
    void addOperation(std::size_t operation);
    void noteWeights();
    void takeWeights();
    void hideUnpacking();
    std::size_t addNode(Node node);
    void addEdge(std::size_t from, std::size_t to, std::string_view param, std::size_t value,
                 EdgeKind kind);
    std::size_t paramOf(std::string_view name);
    std::size_t addValue(const mil::NamedType &declared);
    void addDefinition(std::size_t definition, Node node);
    void addBlockInputs(std::size_t operation);
    void addReads(std::size_t operation);
    void addYields(std::size_t operation);
    void addAliases();
    void addOutputs(const mil::Function &function);
    void addUnnamedWeights();
    void addUnnamedWeight(std::size_t weight, const Readers &readers);
    std::size_t visible(const std::string &name, std::size_t before, Place place) const;
    std::size_t calleeOf(const mil::Operation &operation) const;

    Graph &m_graph;
    std::vector<const mil::Function *> m_programs; ///< by function
    std::unordered_map<std::string_view, std::size_t> m_params;
    // Of the function that is being read:
    std::size_t m_function = 0;
    std::unique_ptr<ValueGraph> m_values;
    std::vector<Place> m_places;              ///< by operation
    std::vector<Place> m_definedIn;           ///< by definition
    std::vector<std::size_t> m_operationNode; ///< kNone: a constant
    std::vector<std::size_t> m_definitionNode;
    std::vector<std::size_t> m_definitionValue;
    std::size_t m_firstOperation = 0;    ///< in Graph::m_operations
    std::vector<std::size_t> m_weightOf; ///< by operation: the weight that it makes
    std::vector<bool> m_hidden;          ///< by operation: unpacks a weight
    std::unordered_map<std::string_view, std::vector<std::size_t>> m_byName; ///< definitions
    std::unordered_map<const mil::ValueType *, std::size_t> m_byType;
    std::unordered_map<std::string, std::deque<std::size_t>> m_wanted; ///< weights by name
    std::vector<bool> m_placed;                                        ///< by weight
};

} // namespace kernscope::graph
