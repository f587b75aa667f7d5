// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/dot.h"

#include "core/bundle/bundle.h"
#include "core/graph/form_color.h"
#include "core/graph/picture.h"

#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace kernscope::graph {

namespace {

/// A quoted string; lines are centred. What is in it was made printable() before.
std::string quoted(const std::vector<std::string> &lines)
{
    std::string text = "\"";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += i == 0 ? "" : "\\n";
        for (const char letter : lines[i]) {
            if (letter == '"' || letter == '\\')
                text += '\\';
            text += letter;
        }
    }
    return text + "\"";
}

std::string lookOf(const Neighbourhood &drawn, const DrawnUnit &unit)
{
    const Node &node = drawn.graph->nodes()[unit.nodes.front()];
    std::string look;
    if (unit.kind == DrawnUnit::Kind::Rest)
        return ", style=dashed";
    if (unit.kind == DrawnUnit::Kind::Fold)
        look = ", peripheries=2";
    else if (node.kind == NodeKind::Weight)
        look = fmt::format(", color=\"#{:06x}\"",
                           formColor(drawn.graph->bundle().weights()[node.weight].form));
    else if (node.kind != NodeKind::Operation)
        look = ", style=rounded";
    return unit.hop == 0 ? look + ", penwidth=2.5" : look;
}

/// A frame with the boxes and the frames in it.
void writeFrame(const Picture &made, std::size_t index, int depth, std::string &text)
{
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    text += fmt::format("{}subgraph cluster{} {{\n{}  label={};\n", indent, index, indent,
                        quoted({made.frameLabels[index]}));
    for (const std::size_t unit : made.request.frames[index].boxes)
        text += fmt::format("{}  n{};\n", indent, unit);
    for (std::size_t inner = index + 1; inner < made.frames.size(); ++inner) {
        if (made.request.frames[inner].parent == index)
            writeFrame(made, inner, depth + 1, text);
    }
    text += indent + "}\n";
}

} // namespace

std::string dotText(const Neighbourhood &drawn, bool rightwards)
{
    const Picture made = picture(drawn, ordinarySizes(), rightwards);
    std::string text = fmt::format("digraph program {{\n  rankdir={};\n  node [shape=box];\n",
                                   rightwards ? "LR" : "TB");
    for (std::size_t u = 0; u < drawn.units.size(); ++u) {
        std::vector<std::string> lines{made.labels[u].title};
        lines.insert(lines.end(), made.labels[u].lines.begin(), made.labels[u].lines.end());
        text +=
            fmt::format("  n{} [label={}{}];\n", u, quoted(lines), lookOf(drawn, drawn.units[u]));
    }
    for (std::size_t f = 0; f < made.frames.size(); ++f) {
        if (made.request.frames[f].parent >= made.frames.size())
            writeFrame(made, f, 1, text);
    }
    for (std::size_t l = 0; l < drawn.links.size(); ++l) {
        const Link &link = drawn.links[l];
        const bool value =
            !link.edges.empty() && drawn.graph->edges()[link.edges.front()].kind == EdgeKind::Value;
        text += fmt::format("  n{} -> n{} [label={}{}];\n", link.from, link.to,
                            quoted({made.linkLabels[l]}), value ? "" : ", style=dashed");
    }
    return text + "}\n";
}

} // namespace kernscope::graph
