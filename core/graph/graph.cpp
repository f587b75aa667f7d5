// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph.h"

#include "core/bundle/bundle.h"
#include "core/container/mil/value_graph.h"
#include "core/form/form_steps.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::graph {

namespace {

constexpr std::size_t kMostCandidates = 16;

void list(std::string &text, std::string_view more)
{
    text += text.empty() ? "" : ", ";
    text += more;
}

/// Equal letters at the start: what is nearest to a name that is not there.
std::size_t sharedStart(std::string_view a, std::string_view b)
{
    std::size_t shared = 0;
    while (shared < a.size() && shared < b.size() && a[shared] == b[shared])
        ++shared;
    return shared;
}

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

std::string_view nodeKindName(NodeKind kind)
{
    switch (kind) {
    case NodeKind::Operation: return "operation";
    case NodeKind::Weight: return "weight";
    case NodeKind::Input: return "input";
    case NodeKind::Output: return "output";
    case NodeKind::BlockInput: return "block-input";
    }
    return "";
}

std::string valueTypeText(const mil::ValueType &type)
{
    if (!type.isTensor() && type.kind != mil::ValueType::Kind::State)
        return type.text;
    if (type.kind == mil::ValueType::Kind::Unknown)
        return {};
    std::string text;
    if (type.element != ElementType::Unknown)
        text = elementTypeName(type.element);
    else if (type.kind != mil::ValueType::Kind::Tensor || !type.text.empty())
        text = type.text;
    if (type.dims.empty())
        return text;
    text += text.empty() ? "[" : " [";
    for (std::size_t i = 0; i < type.dims.size(); ++i) {
        text += i == 0 ? "" : ", ";
        text += type.dims[i] < 0 ? "?" : std::to_string(type.dims[i]);
    }
    return text + "]";
}

void Graph::EdgeLists::fill(std::size_t nodes, const std::vector<Edge> &all, std::size_t Edge::*end)
{
    ends.assign(nodes, 0);
    for (const Edge &edge : all)
        ++ends[edge.*end];
    std::vector<std::size_t> next(nodes);
    std::size_t from = 0;
    for (std::size_t n = 0; n < nodes; ++n) {
        next[n] = from;
        from = ends[n] += from;
    }
    edges.resize(all.size(), kNone);
    for (std::size_t e = 0; e < all.size(); ++e)
        edges[next[all[e].*end]++] = e;
}

std::string Graph::title(std::size_t node) const
{
    const Node &of = m_nodes[node];
    switch (of.kind) {
    case NodeKind::Operation: return operation(node)->type;
    case NodeKind::Weight: return formWords(m_bundle->weights()[of.weight].form);
    case NodeKind::Input: return "input";
    case NodeKind::Output: return "output";
    case NodeKind::BlockInput: return "block input";
    }
    return {};
}

std::string Graph::name(std::size_t node) const
{
    const Node &of = m_nodes[node];
    if (of.kind == NodeKind::Weight)
        return m_bundle->weights()[of.weight].name;
    if (of.kind == NodeKind::Operation)
        return operation(node)->displayName();
    const auto declared = value(of.value);
    return declared ? declared->name : std::string();
}

std::string Graph::result(std::size_t node) const
{
    const Node &of = m_nodes[node];
    if (const auto declared = value(of.value))
        return valueTypeText(declared->type);
    if (of.weight == kNone)
        return {};
    const Weight &weight = m_bundle->weights()[of.weight];
    std::string text(elementTypeName(weight.type));
    for (std::size_t i = 0; i < weight.shape.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? " [" : ", ", weight.shape[i]);
    return weight.shape.empty() ? text : text + "]";
}

std::string Graph::functionName(std::size_t function) const
{
    const FunctionNodes &of = m_functions[function];
    return of.model.empty() ? of.name : of.model + "/" + of.name;
}

std::vector<std::string> Graph::constantsOf(std::size_t node) const
{
    std::vector<std::string> names;
    const Node &of = m_nodes[node];
    if (of.kind != NodeKind::Operation)
        return names;
    for (const mil::Argument &argument : operation(node)->inputs) {
        const auto into = edgesInto(node);
        const bool read = std::ranges::any_of(
            into, [&](std::size_t e) { return param(m_edges[e]) == argument.name; });
        if (!read)
            names.push_back(argument.name);
    }
    return names;
}

std::size_t Graph::nodeOfWeight(std::size_t weight) const
{
    return weight < m_weightNodes.size() ? m_weightNodes[weight] : kNone;
}

std::size_t Graph::fileOf(std::size_t node) const
{
    return bundle().programFileOf(m_functions[m_nodes[node].function].model);
}

std::size_t Graph::nodeAtByte(std::size_t file, std::uint64_t offset) const
{
    std::size_t found = kNone;
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        if (m_nodes[n].operation == kNone)
            continue;
        const SourceSpan &span = operation(n)->span;
        if (offset < span.offset || offset - span.offset >= span.length)
            continue;
        if (fileOf(n) == file && (found == kNone || span.length < operation(found)->span.length))
            found = n;
    }
    return found;
}

std::vector<std::size_t> Graph::inputsOf(std::size_t function) const
{
    std::vector<std::size_t> found;
    const FunctionNodes &of = m_functions[function];
    for (std::size_t n = of.firstNode; n < of.firstNode + of.nodes; ++n) {
        if (m_nodes[n].kind == NodeKind::Input)
            found.push_back(n);
    }
    return found;
}

Result<std::size_t> findFunction(const Graph &graph, std::string_view name)
{
    std::vector<std::size_t> named;
    std::string known;
    for (std::size_t f = 0; f < graph.functions().size(); ++f) {
        const std::string whole = graph.functionName(f);
        if (whole == name)
            return f;
        if (graph.functions()[f].name == name)
            named.push_back(f);
        if (f < kMostCandidates)
            list(known, whole);
    }
    if (named.size() == 1)
        return named.front();
    return refused("cli.option", "--function", known, name,
                   named.empty() ? "The program has no function of that name"
                                 : "Several functions could be meant");
}

Result<std::size_t> findNode(const Graph &graph, std::string_view name, std::string_view function)
{
    std::size_t only = kNone;
    if (!function.empty()) {
        only = TRY(findFunction(graph, function));
    }
    std::vector<std::size_t> found;
    std::pair<std::size_t, std::string> nearest;
    for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
        const Node &node = graph.nodes()[n];
        if (only != kNone && node.function != only)
            continue;
        const std::string own = graph.name(n);
        bool meant = own == name;
        if (const mil::Operation *operation = graph.operation(n)) {
            for (const mil::NamedType &output : operation->outputs)
                meant = meant || output.name == name;
        }
        const std::string prefix = graph.functionName(node.function) + "/";
        meant = meant || (name.size() == prefix.size() + own.size() && name.starts_with(prefix) &&
                          name.ends_with(own));
        if (meant)
            found.push_back(n);
        if (const std::size_t shared = sharedStart(own, name); shared > nearest.first)
            nearest = {shared, own};
    }
    // An output has the name of the value that it is: what makes it is meant.
    if (found.size() > 1)
        std::erase_if(found,
                      [&](std::size_t n) { return graph.nodes()[n].kind == NodeKind::Output; });
    if (found.size() == 1)
        return found.front();
    std::string candidates = found.empty() ? nearest.second : std::string();
    for (std::size_t i = 0; i < found.size() && i < kMostCandidates; ++i)
        list(candidates,
             fmt::format("{}/{} ({})", graph.functionName(graph.nodes()[found[i]].function),
                         graph.name(found[i]), graph.title(found[i])));
    return refused("cli.option", "NAME", candidates, name,
                   found.empty() ? "The program has no operation, value or weight of that name"
                                 : "Several could be meant; --function narrows it");
}

/// A value may be read a hundred thousand times: its type is written once.
std::uint64_t RepeatFinder::typeMark(std::size_t value)
{
    if (value == kNone)
        return 0;
    const auto [at, fresh] = m_typeMarks.try_emplace(value, 0);
    if (fresh)
        at->second = hashOf(valueTypeText(m_graph.value(value)->type));
    return at->second;
}

/// Kind, results, names of operands, and the weights that it reads.
std::uint64_t RepeatFinder::markOf(std::size_t node) const
{
    const mil::Operation &operation = *m_graph.operation(node);
    std::uint64_t mark = hashOf(operation.type);
    for (const mil::NamedType &output : operation.outputs)
        mark = mixed(mark, hashOf(valueTypeText(output.type)));
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
        const bool alone = std::ranges::all_of(from, [&](std::size_t e) {
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
