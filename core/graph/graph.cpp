// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/graph.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/value_graph.h"

#include <algorithm>
#include <utility>

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

std::string typeText(const mil::ValueType &type)
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

void Graph::EdgeLists::fill(std::size_t nodes, const std::vector<Edge> &all, Index Edge::*end)
{
    ends.assign(nodes, 0);
    for (const Edge &edge : all)
        ++ends[edge.*end];
    std::vector<std::uint32_t> next(nodes);
    std::uint32_t from = 0;
    for (std::size_t n = 0; n < nodes; ++n) {
        next[n] = from;
        from = ends[n] += from;
    }
    edges.resize(all.size(), kNone);
    for (std::size_t e = 0; e < all.size(); ++e)
        edges[next[all[e].*end]++] = e;
}

mil::OperationPtr Graph::operationAt(std::size_t number) const
{
    const std::size_t first = m_program->operations();
    return number < first ? m_program->operation(number) : m_networks->operation(number - first);
}

mil::OperationPtr Graph::operation(std::size_t node) const
{
    const Index number = m_nodes[node].operation;
    return number == kNone ? nullptr : operationAt(number);
}

std::shared_ptr<const mil::NamedType> Graph::value(std::size_t value) const
{
    if (value == kNone)
        return nullptr;
    const Declared &at = m_values[value];
    if (at.operation == kNone)
        return {std::shared_ptr<const Graph>(), &m_inputs[at.function][at.index]};
    mil::OperationPtr operation = operationAt(at.operation);
    const mil::NamedType *declared = at.block == kNone
                                         ? &operation->outputs[at.index]
                                         : &operation->blocks[at.block].inputs[at.index];
    return {std::move(operation), declared};
}

std::string Graph::title(std::size_t node) const
{
    const Node &of = m_nodes[node];
    switch (of.kind) {
    case NodeKind::Operation: return operation(node)->type;
    case NodeKind::Weight: return formText(m_bundle->weights()[of.weight].form);
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
        return typeText(declared->type);
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
    const mil::OperationPtr its = operation(node);
    for (const mil::Argument &argument : its->inputs) {
        const auto into = edgesInto(node);
        const bool read = std::any_of(into.begin(), into.end(), [&](std::size_t e) {
            return param(m_edges[e]) == argument.name;
        });
        if (!read)
            names.push_back(argument.name);
    }
    return names;
}

std::size_t Graph::nodeOfWeight(std::size_t weight) const
{
    return weight < m_weightNodes.size() ? std::size_t(m_weightNodes[weight]) : kNone;
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
        const SourceSpan &span = m_spans[n];
        if (offset < span.offset || offset - span.offset >= span.length)
            continue;
        if (fileOf(n) == file && (found == kNone || span.length < m_spans[found].length))
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
    return ErrorBuilder("cli.option")
        .field("--function")
        .expected(known)
        .found(name)
        .message(named.empty() ? "The program has no function of that name"
                               : "Several functions could be meant")
        .unexpected();
}

Result<std::size_t> findNode(const Graph &graph, std::string_view name, std::string_view function)
{
    std::size_t only = kNone;
    if (!function.empty()) {
        const auto found = findFunction(graph, function);
        if (!found)
            return tl::unexpected(found.error());
        only = *found;
    }
    std::vector<std::size_t> found;
    std::pair<std::size_t, std::string> nearest;
    for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
        const Node &node = graph.nodes()[n];
        if (only != kNone && node.function != only)
            continue;
        const std::string own = graph.name(n);
        bool meant = own == name;
        if (const mil::OperationPtr operation = graph.operation(n)) {
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
    return ErrorBuilder("cli.option")
        .field("NAME")
        .expected(candidates)
        .found(name)
        .message(found.empty() ? "The program has no operation, value or weight of that name"
                               : "Several could be meant; --function narrows it")
        .unexpected();
}

} // namespace kernscope::graph
