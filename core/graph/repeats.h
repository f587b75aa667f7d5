// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kernscope::graph {

/// Finds what a program repeats: in each block the longest stretches of operations that are several
/// times the same, from its beginning on. Private to Graph.
class RepeatFinder
{
public:
    explicit RepeatFinder(Graph &graph) : m_graph(graph) {}
    void run(Progress *progress);

private:
    /// What an operation reads from beside its weights, whose forms are part of its mark.
    struct Source {
        std::size_t at = 0;     ///< place in the block, else the node
        bool inBlock = false;   ///< made by an operation of the same block
        std::uint64_t type = 0; ///< of the value
    };
    struct Step {
        std::size_t node = 0;
        std::uint64_t mark = 0; ///< equal for operations that are equal by themselves
        std::vector<Source> sources;
    };

    void readBlock(const std::vector<std::size_t> &operations);
    std::uint64_t markOf(std::size_t node) const;
    std::uint64_t typeMark(std::size_t value);
    void addSources(Step &step, std::size_t first, std::size_t last);
    bool same(std::size_t step, std::size_t length, std::size_t start, std::size_t turn);
    bool continues(std::size_t at, std::size_t length) const;
    std::size_t turnsAt(std::size_t start, std::size_t length);
    void take(std::size_t start, std::size_t length, std::size_t turns);
    void giveWeights();

    Graph &m_graph;
    std::vector<Step> m_steps;
    std::unordered_map<std::size_t, std::size_t> m_placeOf;     ///< node -> place in the block
    std::unordered_map<std::size_t, std::uint64_t> m_typeMarks; ///< of values
    std::uint64_t m_budget = 0; ///< sources that may still be compared
};

} // namespace kernscope::graph
