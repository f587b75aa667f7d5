// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/neighbourhood.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"

#include <algorithm>
#include <unordered_set>

namespace kernscope::graph {

namespace {

/// Bytes of the weights of a unit; "?" where they are not known.
std::string bytesOf(const Neighbourhood &drawn, const DrawnUnit &unit)
{
    const auto bytes = drawn.storedBytes(unit);
    return bytes ? grouped(*bytes) : "?";
}

std::string filled(std::string pattern, std::initializer_list<std::string> values)
{
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool place = pattern[i] == '%' && i + 1 < pattern.size() && pattern[i + 1] >= '1' &&
                           pattern[i + 1] <= '9';
        const std::size_t which = place ? static_cast<std::size_t>(pattern[i + 1] - '1') : 0;
        if (place && which < values.size()) {
            text += *(values.begin() + which);
            ++i;
        } else {
            text += pattern[i];
        }
    }
    return text;
}

bool continues(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

void addLine(Label &label, const std::string &text)
{
    if (!text.empty())
        label.lines.push_back(shortText(text, kLongestLine));
}

/// Whether an arrow says what the unit gives.
bool hasArrow(const Neighbourhood &drawn, std::size_t unit)
{
    return std::ranges::any_of(
        drawn.links, [unit](const Link &link) { return link.from == unit && !link.edges.empty(); });
}

Label nodeLabel(const Neighbourhood &drawn, std::size_t which, const Words &words)
{
    const Graph &graph = *drawn.graph;
    const DrawnUnit &unit = drawn.units[which];
    const std::size_t n = unit.nodes.front();
    const Node &node = graph.nodes()[n];
    Label label;
    if (node.kind == NodeKind::Weight) {
        label.title = shortText(graph.name(n), kLongestLine);
        addLine(label, graph.title(n) + " \u00B7 " + filled(words.bytes, {bytesOf(drawn, unit)}));
        addLine(label, graph.result(n));
        return label;
    }
    label.title = node.kind == NodeKind::Input        ? words.input
                  : node.kind == NodeKind::Output     ? words.output
                  : node.kind == NodeKind::BlockInput ? words.blockInput
                                                      : shortText(graph.title(n), kLongestLine);
    addLine(label, graph.name(n));
    if (node.callee != kNone)
        addLine(label, filled(words.calls, {graph.functionName(node.callee)}));
    if (!hasArrow(drawn, which))
        addLine(label, graph.result(n));
    return label;
}

/// Which nodes are drawn as one: keys of units are their first nodes.
class Folding
{
public:
    Folding(const Graph &graph, const Scope &scope) : m_graph(graph), m_key(graph.nodes().size())
    {
        for (std::size_t n = 0; n < m_key.size(); ++n)
            m_key[n] = n;
        if (scope.fold)
            fold(scope);
    }

    std::size_t keyOf(std::size_t node) const { return m_key[node]; }
    /// The nodes of a unit, in the order of the program.
    std::vector<std::size_t> nodesOf(std::size_t key) const
    {
        const auto found = m_members.find(key);
        return found == m_members.end() ? std::vector<std::size_t>{key} : found->second;
    }
    bool isFold(std::size_t key) const { return m_members.count(key) > 0; }
    std::size_t turnsOf(std::size_t key) const
    {
        std::unordered_set<std::size_t> turns;
        for (const std::size_t node : nodesOf(key))
            turns.insert(m_graph.nodes()[node].turn);
        return turns.size();
    }

private:
    void fold(const Scope &scope)
    {
        std::set<std::pair<std::size_t, std::size_t>> open; ///< run, turn
        for (const std::size_t centre : scope.centres)
            open.emplace(m_graph.nodes()[centre].run, m_graph.nodes()[centre].turn);
        // A stretch of turns that are closed is one unit: its first turn names it.
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> keys;
        for (std::size_t n = 0; n < m_key.size(); ++n) {
            const Node &node = m_graph.nodes()[n];
            if (node.run == kNone || scope.opened.count(node.run) > 0 ||
                open.count({node.run, node.turn}) > 0)
                continue;
            const auto after = open.lower_bound({node.run, node.turn});
            const bool behind = after != open.begin() && std::prev(after)->first == node.run;
            const std::size_t first = behind ? std::prev(after)->second + 1 : 0;
            m_key[n] = keys.try_emplace({node.run, first}, n).first->second;
            m_members[m_key[n]].push_back(n);
        }
    }

    const Graph &m_graph;
    std::vector<std::size_t> m_key; ///< by node
    std::unordered_map<std::size_t, std::vector<std::size_t>> m_members;
};

class Walk
{
public:
    Walk(GraphPtr graph, Scope scope)
        : m_graph(*graph), m_scope(std::move(scope)), m_folding(m_graph, m_scope)
    {
        m_made.graph = std::move(graph);
    }

    Neighbourhood run()
    {
        std::vector<std::size_t> level;
        for (const std::size_t centre : m_scope.centres) {
            const std::size_t key = m_folding.keyOf(centre);
            if (m_units.size() < m_scope.mostDrawn && addUnit(key, 0))
                level.push_back(key);
        }
        for (unsigned hop = 1; hop <= m_scope.hops && !level.empty(); ++hop)
            level = next(level, hop);
        addLinks();
        addRests();

        m_made.scope = std::move(m_scope);
        return std::move(m_made);
    }

private:
    struct Neighbour {
        std::size_t key = 0;
        bool before = false; ///< it makes what the unit reads
    };

    bool addUnit(std::size_t key, unsigned hop)
    {
        if (!m_units.try_emplace(key, m_made.units.size()).second)
            return false;
        DrawnUnit unit;
        unit.nodes = m_folding.nodesOf(key);
        unit.hop = hop;
        if (m_folding.isFold(key)) {
            unit.kind = DrawnUnit::Kind::Fold;
            unit.run = m_graph.nodes()[key].run;
            unit.turns = m_folding.turnsOf(key);
        }
        m_made.units.push_back(std::move(unit));
        return true;
    }

    /// What it reads first, then what reads it; each once in each direction.
    std::vector<Neighbour> neighbours(std::size_t key) const
    {
        std::vector<Neighbour> found;
        const std::vector<std::size_t> nodes = m_folding.nodesOf(key);
        for (const bool before : {true, false}) {
            std::unordered_set<std::size_t> seen{key};
            for (const std::size_t node : nodes) {
                for (const std::size_t e :
                     before ? m_graph.edgesInto(node) : m_graph.edgesFrom(node)) {
                    const Edge &edge = m_graph.edges()[e];
                    const std::size_t other = m_folding.keyOf(before ? edge.from : edge.to);
                    if (seen.insert(other).second)
                        found.push_back({other, before});
                }
            }
        }
        return found;
    }

    std::vector<std::size_t> next(const std::vector<std::size_t> &level, unsigned hop)
    {
        std::vector<std::vector<Neighbour>> around;
        std::size_t most = 0;
        for (const std::size_t key : level) {
            around.push_back(neighbours(key));
            most = std::max(most, around.back().size());
        }
        std::vector<std::size_t> reached;
        for (std::size_t i = 0; i < most; ++i) {
            for (const std::vector<Neighbour> &each : around) {
                if (i < each.size() && m_made.units.size() < m_scope.mostDrawn &&
                    addUnit(each[i].key, hop))
                    reached.push_back(each[i].key);
            }
        }
        return reached;
    }

    void addLinks()
    {
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> links;
        for (std::size_t u = 0; u < m_made.units.size(); ++u) {
            for (const std::size_t node : m_made.units[u].nodes) {
                for (const std::size_t e : m_graph.edgesFrom(node)) {
                    const auto to = m_units.find(m_folding.keyOf(m_graph.edges()[e].to));
                    if (to == m_units.end() || to->second == u)
                        continue;
                    const auto [at, fresh] =
                        links.try_emplace({u, to->second}, m_made.links.size());
                    if (fresh)
                        m_made.links.push_back({u, to->second, {}});
                    m_made.links[at->second].edges.push_back(e);
                }
            }
        }
    }

    void addRests()
    {
        std::vector<std::size_t> keys(m_made.units.size());
        for (const auto &[key, unit] : m_units)
            keys[unit] = key;
        for (std::size_t u = 0; u < keys.size(); ++u) {
            std::vector<std::size_t> missing[2];
            for (const Neighbour &each : neighbours(keys[u])) {
                if (m_units.count(each.key) == 0)
                    missing[each.before ? 0 : 1].push_back(each.key);
            }
            if (m_made.units[u].hop >= m_scope.hops) {
                m_made.units[u].before = missing[0].size();
                m_made.units[u].after = missing[1].size();
                continue;
            }
            for (const std::size_t side : {std::size_t(0), std::size_t(1)}) {
                if (!missing[side].empty())
                    addRest(u, side == 0, missing[side]);
            }
        }
        m_made.leftOut = m_rest.size();
    }

    void addRest(std::size_t unit, bool before, const std::vector<std::size_t> &keys)
    {
        DrawnUnit rest;
        rest.kind = DrawnUnit::Kind::Rest;
        rest.hop = m_made.units[unit].hop + 1;
        for (const std::size_t key : keys) {
            for (const std::size_t node : m_folding.nodesOf(key)) {
                rest.nodes.push_back(node);
                m_rest.insert(node);
            }
        }
        std::ranges::sort(rest.nodes);
        const std::size_t made = m_made.units.size();
        m_made.units.push_back(std::move(rest));
        m_made.links.push_back({before ? made : unit, before ? unit : made, {}});
    }

    const Graph &m_graph;
    Scope m_scope;
    Folding m_folding;
    Neighbourhood m_made;
    std::unordered_map<std::size_t, std::size_t> m_units; ///< key -> unit
    std::unordered_set<std::size_t> m_rest;               ///< nodes that rests stand for
};

} // namespace

std::string shortText(std::string_view text, std::size_t longest)
{
    // A limit far above what is shown: printable() gets little text.
    constexpr std::size_t kMostBytes = 4096;
    std::string shown;
    if (text.size() <= kMostBytes)
        shown = printable(text);
    else
        shown = printable(text.substr(0, kMostBytes / 2)) + "\u2026" +
                printable(text.substr(text.size() - kMostBytes / 2));
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!continues(shown[i]))
            starts.push_back(i);
    }
    if (starts.size() <= longest || longest < 3)
        return shown;
    const std::size_t head = longest / 2, tail = longest - head - 1;
    return shown.substr(0, starts[head]) + "\u2026" + shown.substr(starts[starts.size() - tail]);
}

std::string foldKinds(const Neighbourhood &drawn, const DrawnUnit &unit)
{
    constexpr std::size_t kMostKinds = 4;
    const Graph &graph = *drawn.graph;
    std::string kinds;
    std::size_t count = 0;
    const std::size_t turn = graph.nodes()[unit.nodes.front()].turn;
    for (const std::size_t n : unit.nodes) {
        const Node &node = graph.nodes()[n];
        if (node.kind != NodeKind::Operation || node.turn != turn)
            continue;
        if (++count > kMostKinds) {
            kinds += ", \u2026";
            break;
        }
        kinds += (kinds.empty() ? "" : ", ") + shortText(graph.operation(n)->type, 16);
    }
    return kinds;
}

Label unitLabel(const Neighbourhood &drawn, std::size_t which, const Words &words)
{
    const DrawnUnit &unit = drawn.units[which];
    Label label;
    if (unit.kind == DrawnUnit::Kind::Rest) {
        const std::size_t operations = drawn.operations(unit);
        const std::string &pattern = operations != unit.nodes.size() ? words.moreNodes
                                     : operations == 1               ? words.moreOperation
                                                                     : words.moreOperations;
        label.title = filled(pattern, {grouped(unit.nodes.size())});
        return label;
    }
    if (unit.kind == DrawnUnit::Kind::Fold) {
        const std::size_t operations = drawn.graph->runs()[unit.run].operations;
        label.title = filled(
            words.times,
            {filled(operations == 1 ? words.repeatOfOne : words.repeat, {grouped(operations)}),
             grouped(unit.turns)});
        addLine(label, foldKinds(drawn, unit));
        if (const std::size_t weights = drawn.weights(unit); weights > 0)
            addLine(label, filled(weights == 1 ? words.foldedWeight : words.foldedWeights,
                                  {grouped(weights), bytesOf(drawn, unit)}));
    } else {
        label = nodeLabel(drawn, which, words);
    }
    if (unit.before > 0)
        addLine(label, filled(words.before, {grouped(unit.before)}));
    if (unit.after > 0)
        addLine(label, filled(words.after, {grouped(unit.after)}));
    return label;
}

std::string linkLabel(const Neighbourhood &drawn, std::size_t which, const Words &words)
{
    const Link &link = drawn.links[which];
    const Graph &graph = *drawn.graph;
    if (link.edges.empty())
        return {};
    const Edge &first = graph.edges()[link.edges.front()];
    const bool several = std::ranges::any_of(link.edges, [&](std::size_t e) {
        return graph.edges()[e].from != first.from || graph.edges()[e].value != first.value;
    });
    if (several)
        return filled(words.values, {grouped(link.edges.size())});
    if (graph.nodes()[first.from].kind == NodeKind::Weight)
        return shortText(graph.param(first), kLongestLine);
    const auto value = graph.value(first.value);
    return value ? shortText(valueTypeText(value->type), kLongestLine) : std::string();
}

std::string blockLabel(const Graph &graph, std::size_t holder, std::size_t block,
                       const Words &words)
{
    return filled(words.block,
                  {shortText(graph.title(holder), kLongestLine),
                   shortText(graph.name(holder), kLongestLine), std::to_string(block + 1)});
}

std::size_t Neighbourhood::unitOf(std::size_t node) const
{
    for (std::size_t u = 0; u < units.size(); ++u) {
        if (units[u].kind != DrawnUnit::Kind::Rest &&
            std::ranges::binary_search(units[u].nodes, node))
            return u;
    }
    return kNone;
}

std::size_t Neighbourhood::operations(const DrawnUnit &unit) const
{
    return static_cast<std::size_t>(std::ranges::count_if(unit.nodes, [this](std::size_t node) {
        return graph->nodes()[node].kind == NodeKind::Operation;
    }));
}

std::size_t Neighbourhood::weights(const DrawnUnit &unit) const
{
    return static_cast<std::size_t>(std::ranges::count_if(unit.nodes, [this](std::size_t node) {
        return graph->nodes()[node].kind == NodeKind::Weight;
    }));
}

std::optional<std::uint64_t> Neighbourhood::storedBytes(const DrawnUnit &unit) const
{
    std::uint64_t bytes = 0;
    for (const std::size_t node : unit.nodes) {
        if (graph->nodes()[node].kind != NodeKind::Weight)
            continue;
        const auto known = knownStoredBytes(graph->bundle().weights()[graph->nodes()[node].weight]);
        if (!known)
            return std::nullopt;
        bytes += known->value;
    }
    return bytes;
}

Neighbourhood neighbourhood(GraphPtr graph, Scope scope)
{
    if (scope.hops != kAllHops)
        scope.hops = std::clamp(scope.hops, 1U, kMostHops);
    scope.mostDrawn = std::clamp<std::size_t>(scope.mostDrawn, 1, kMostDrawn);
    std::erase_if(scope.centres, [&](std::size_t node) { return node >= graph->nodes().size(); });
    return Walk(std::move(graph), std::move(scope)).run();
}

} // namespace kernscope::graph
