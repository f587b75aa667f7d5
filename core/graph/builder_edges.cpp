// SPDX-License-Identifier: GPL-3.0-or-later
// The arrows of a graph: what reads what, into blocks and out of them.
#include "core/graph/builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kernscope::graph {

void Builder::addReads(std::size_t operation)
{
    const std::size_t node = m_operationNode[operation];
    if (node == kNone || m_graph.m_nodes[node].kind == NodeKind::Weight)
        return;
    forEachValue(*m_values->operations()[operation].operation, [&](std::string_view param,
                                                                   const mil::ProgramValue &value) {
        const mil::Reference *reference = value.reference();
        const std::size_t made = reference ? m_values->resolve(*reference) : ValueGraph::kNone;
        if (made != ValueGraph::kNone)
            addEdge(m_definitionNode[made], node, param, m_definitionValue[made], EdgeKind::Value);
    });
}

/// The last definition of a name before another one that a block can see; kNone: none.
std::size_t Builder::visible(const std::string &name, std::size_t before, Place place) const
{
    const auto found = m_byName.find(name);
    if (found == m_byName.end())
        return kNone;
    constexpr std::size_t kMostTried = 4096; // of a program that defines one name over and over
    const auto &all = found->second;
    const auto last = std::lower_bound(all.begin(), all.end(), before);
    std::size_t tried = 0;
    for (auto at = std::make_reverse_iterator(last); at != all.rend() && tried < kMostTried;
         ++at, ++tried) {
        const Place &made = m_definedIn[*at];
        for (Place around = place;; around = m_places[around.holder]) {
            if (made.holder == around.holder &&
                (made.holder == kNone || made.block == around.block))
                return *at;
            if (around.holder == kNone)
                break;
        }
    }
    return kNone;
}

void Builder::addYields(std::size_t operation)
{
    const GraphOperation &holder = m_values->operations()[operation];
    for (std::size_t b = 0; b < holder.operation->blocks.size(); ++b) {
        for (const std::string &name : holder.operation->blocks[b].outputs) {
            const std::size_t made = visible(name, holder.firstDefinition, {operation, b});
            if (made != kNone)
                addEdge(m_definitionNode[made], m_operationNode[operation], {},
                        m_definitionValue[made], EdgeKind::Yields);
        }
    }
}

void Builder::addAliases()
{
    const auto &definitions = m_values->definitions();
    for (std::size_t d = 0; d < definitions.size(); ++d) {
        for (const std::size_t inner : definitions[d].aliases)
            addEdge(m_definitionNode[d], m_definitionNode[inner], {}, m_definitionValue[d],
                    EdgeKind::Enters);
    }
}

void Builder::addOutputs(const mil::Function &function)
{
    for (const std::string &name : function.body.outputs) {
        const std::size_t made = visible(name, m_values->definitions().size(), {});
        if (made == kNone)
            continue;
        Node node;
        node.kind = NodeKind::Output;
        node.value = m_definitionValue[made];
        addEdge(m_definitionNode[made], addNode(node), {}, m_definitionValue[made],
                EdgeKind::Value);
    }
}

} // namespace kernscope::graph
