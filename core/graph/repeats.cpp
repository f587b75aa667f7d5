// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/repeats.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace kernscope::graph {

namespace {

/// Comparisons of sources in all: a program made to be slow is drawn without folding the rest of
/// it.
constexpr std::uint64_t kBudget = 50'000'000;
constexpr std::size_t kMostLengths = 8; ///< lengths tried at one place
constexpr std::size_t kLongest = 4096;  ///< operations of one time
constexpr std::size_t kLeastFolded = 3; ///< operations that folding saves

std::uint64_t mixed(std::uint64_t a, std::uint64_t b)
{
    return a ^ (b + 0x9E3779B97F4A7C15U + (a << 6U) + (a >> 2U));
}

std::uint64_t hashOf(std::string_view text)
{
    return std::hash<std::string_view>()(text);
}

} // namespace

/// A value may be read a hundred thousand times: its type is written once.
std::uint64_t RepeatFinder::typeMark(std::size_t value)
{
    if (value == kNone)
        return 0;
    const auto [at, fresh] = m_typeMarks.try_emplace(value, 0);
    if (fresh)
        at->second = hashOf(typeText(m_graph.value(value)->type));
    return at->second;
}

/// Kind, results, names of operands, and the weights that it reads.
std::uint64_t RepeatFinder::markOf(std::size_t node) const
{
    const mil::Operation &operation = *m_graph.operation(node);
    std::uint64_t mark = hashOf(operation.type);
    for (const mil::NamedType &output : operation.outputs)
        mark = mixed(mark, hashOf(typeText(output.type)));
    for (const mil::Argument &argument : operation.inputs)
        mark = mixed(mark, hashOf(argument.name) + argument.values.size());
    for (const std::size_t e : m_graph.edgesInto(node)) {
        const Node &from = m_graph.m_nodes[m_graph.m_edges[e].from];
        if (from.kind != NodeKind::Weight)
            continue;
        const Weight &weight = m_graph.bundle().weights()[from.weight];
        mark = mixed(mark, hashOf(m_graph.param(m_graph.m_edges[e])));
        mark = mixed(mark, hashOf(formText(weight.form)));
        for (const std::uint64_t extent : weight.shape)
            mark = mixed(mark, extent);
    }
    return mark;
}

/// The sources of an operation and of all that is in its blocks: nodes first to last.
void RepeatFinder::addSources(Step &step, std::size_t first, std::size_t last)
{
    for (std::size_t node = first; node < last; ++node) {
        if (node != first && m_graph.operation(node) &&
            m_graph.m_nodes[node].kind == NodeKind::Operation)
            step.mark = mixed(step.mark, markOf(node));
        for (const std::size_t e : m_graph.edgesInto(node)) {
            const Edge &edge = m_graph.m_edges[e];
            if (m_graph.m_nodes[edge.from].kind == NodeKind::Weight)
                continue;
            if (edge.from >= first && edge.from < last) {
                step.mark = mixed(step.mark, mixed(edge.from - first, node - first));
                continue;
            }
            const auto place = m_placeOf.find(edge.from);
            const bool here = place != m_placeOf.end();
            step.sources.push_back(
                {here ? place->second : std::size_t(edge.from), here, typeMark(edge.value)});
        }
    }
}

/// Whether a step of the time `turn` of a chain is what it was the time before.
bool RepeatFinder::same(std::size_t step, std::size_t length, std::size_t start, std::size_t turn)
{
    const Step &now = m_steps[step], &before = m_steps[step - length];
    if (now.mark != before.mark || now.sources.size() != before.sources.size())
        return false;
    for (std::size_t i = 0; i < now.sources.size(); ++i) {
        const Source &a = before.sources[i], &b = now.sources[i];
        if (a.type != b.type)
            return false;
        if (a.inBlock && b.inBlock && b.at == a.at + length)
            continue;
        const bool outside = !a.inBlock || a.at < start;
        if (a.inBlock == b.inBlock && a.at == b.at && outside)
            continue; // what every time reads
        // What the first time reads from outside, the others read from the time before.
        if (turn == 1 && outside && b.inBlock && b.at >= start && b.at < start + length)
            continue;
        return false;
    }
    return true;
}

/// Whether the time that begins at `at` reads what the time before it gives: equal operations side
/// by side are no chain.
bool RepeatFinder::continues(std::size_t at, std::size_t length) const
{
    for (std::size_t i = at; i < at + length; ++i) {
        for (const Source &source : m_steps[i].sources) {
            if (source.inBlock && source.at < at && source.at + length >= at)
                return true;
        }
    }
    return false;
}

std::size_t RepeatFinder::turnsAt(std::size_t start, std::size_t length)
{
    std::size_t turns = 1;
    for (std::size_t at = start + length; at + length <= m_steps.size(); at += length, ++turns) {
        for (std::size_t i = 0; i < length; ++i) {
            const std::uint64_t cost = 1 + 2 * m_steps[at + i].sources.size(); // and in continues()
            if (m_budget < cost) {
                m_budget = 0;
                return 1;
            }
            m_budget -= cost;
            if (!same(at + i, length, start, turns))
                return turns;
        }
        if (!continues(at, length))
            return turns;
    }
    return turns;
}

void RepeatFinder::take(std::size_t start, std::size_t length, std::size_t turns)
{
    const std::size_t run = m_graph.m_runs.size();
    m_graph.m_runs.push_back({length, turns});
    for (std::size_t i = 0; i < length * turns; ++i) {
        Node &node = m_graph.m_nodes[m_steps[start + i].node];
        node.run = run;
        node.turn = i / length;
    }
}

void RepeatFinder::readBlock(const std::vector<std::size_t> &operations)
{
    m_steps.clear();
    m_placeOf.clear();
    for (const std::size_t node : operations)
        m_placeOf.emplace(node, m_placeOf.size());
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
    for (const std::size_t node : operations) {
        // Nodes of its blocks follow an operation.
        std::size_t last = node + 1;
        while (last < m_graph.m_nodes.size() && m_graph.m_nodes[last].holder != kNone &&
               m_graph.m_nodes[last].holder >= node)
            ++last;
        Step step;
        step.node = node;
        step.mark = markOf(node);
        addSources(step, node, last);
        places[step.mark].push_back(m_steps.size());
        m_steps.push_back(std::move(step));
    }
    for (std::size_t at = 0; at < m_steps.size();) {
        const std::vector<std::size_t> &again = places[m_steps[at].mark];
        auto next = std::upper_bound(again.begin(), again.end(), at);
        std::size_t length = 0, turns = 1;
        for (std::size_t tried = 0; next != again.end() && tried < kMostLengths; ++next, ++tried) {
            const std::size_t each = *next - at;
            if (each > kLongest)
                break;
            const std::size_t found = turnsAt(at, each);
            const bool folds =
                found >= 2 && each * (found - 1) >= kLeastFolded && (each > 1 || found > 2);
            if (folds && each * found > length * turns) {
                length = each;
                turns = found;
            }
        }
        if (length == 0) {
            ++at;
            continue;
        }
        take(at, length, turns);
        at += length * turns;
    }
}

/// What lies in the blocks of a repeated operation, and the weights that one time alone reads, are
/// part of it.
void RepeatFinder::giveWeights()
{
    for (Node &node : m_graph.m_nodes) {
        if (node.holder != kNone && m_graph.m_nodes[node.holder].run != kNone) {
            node.run = m_graph.m_nodes[node.holder].run;
            node.turn = m_graph.m_nodes[node.holder].turn;
        }
    }
    for (std::size_t n = 0; n < m_graph.m_nodes.size(); ++n) {
        Node &node = m_graph.m_nodes[n];
        const auto from = m_graph.edgesFrom(n);
        if (node.kind != NodeKind::Weight || from.empty())
            continue;
        const Node &reader = m_graph.m_nodes[m_graph.m_edges[from.front()].to];
        const bool alone = std::all_of(from.begin(), from.end(), [&](std::size_t e) {
            const Node &other = m_graph.m_nodes[m_graph.m_edges[e].to];
            return other.run == reader.run && other.turn == reader.turn;
        });
        if (alone) {
            node.run = reader.run;
            node.turn = reader.turn;
        }
    }
}

void RepeatFinder::run(Progress *progress)
{
    m_budget = kBudget;
    // Operations of the same block, in the order of the program; outer blocks first, for what is
    // repeated with the operation that holds it is not searched again.
    std::map<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>, std::vector<std::size_t>>
        blocks;
    for (std::size_t n = 0; n < m_graph.m_nodes.size(); ++n) {
        const Node &node = m_graph.m_nodes[n];
        if (node.kind != NodeKind::Operation)
            continue;
        const std::size_t holder = node.holder == kNone ? 0 : node.holder + 1;
        blocks[{node.function, {holder, node.block}}].push_back(n);
    }
    for (const auto &[key, operations] : blocks) {
        if (progress && progress->cancelled())
            return;
        const Node &first = m_graph.m_nodes[operations.front()];
        bool held = false;
        for (std::size_t holder = first.holder; holder != kNone;
             holder = m_graph.m_nodes[holder].holder)
            held = held || m_graph.m_nodes[holder].run != kNone;
        if (!held)
            readBlock(operations);
    }
    giveWeights();
}

} // namespace kernscope::graph
