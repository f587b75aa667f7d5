// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/label.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"

#include <algorithm>

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

} // namespace kernscope::graph
