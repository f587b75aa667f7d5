// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/neighbourhood.h"
#include "tests/core/bundle/made_bundle.h"
#include "tests/test_program.h"

/// Programs written in a test, and what is drawn of them as texts to compare.
namespace kernscope::test {

inline std::string programOf(std::string_view functions)
{
    return "program(1.3)\n{\n" + std::string(functions) + "}\n";
}

inline std::string functionOf(std::string_view name, std::string_view parameters,
                              std::initializer_list<std::string> statements,
                              std::string_view result)
{
    std::string text =
        "    func " + std::string(name) + "<ios18>(" + std::string(parameters) + ") {\n";
    for (const std::string &statement : statements)
        text += "            " + statement + ";\n";
    return text + "        } -> (" + std::string(result) + ");\n";
}

/// "tensor<fp16, [1, 4]> NAME = KIND(x = FROM)[name = …]".
inline std::string step(const std::string &kind, const std::string &name, const std::string &from)
{
    return "tensor<fp16, [1, 4]> " + name + " = " + kind + "(x = " + from + ")[name = string(\"" +
           name + "\")]";
}

inline std::string sum(const std::string &name, const std::string &a, const std::string &b)
{
    return "tensor<fp16, [1, 4]> " + name + " = add(x = " + a + ", y = " + b +
           ")[name = string(\"" + name + "\")]";
}

inline BundlePtr bundleOf(std::string_view text)
{
    return Bundle::open("made.mlmodelc", MadeBundle::options(text, MadeBundle().weights()))
        .value_or(nullptr);
}

inline graph::GraphPtr graphOf(const BundlePtr &bundle)
{
    return (bundle ? graph::Graph::build(bundle) : Result<graph::GraphPtr>()).value_or(nullptr);
}

inline std::size_t nodeOf(const graph::Graph &graph, std::string_view name)
{
    return graph::findNode(graph, name, {}).value_or(graph::kNone);
}

inline graph::Neighbourhood around(const graph::GraphPtr &graph, std::string_view name,
                                   unsigned hops, bool fold = true, std::size_t most = 120)
{
    graph::Scope scope;
    scope.centres = {nodeOf(*graph, name)};
    scope.hops = hops;
    scope.fold = fold;
    scope.mostDrawn = most;
    return graph::neighbourhood(graph, std::move(scope));
}

/// "y", "x3" of a fold of three times, "+5" of a rest of five; sorted.
inline QString unitText(const graph::Neighbourhood &drawn, std::size_t unit)
{
    const graph::DrawnUnit &of = drawn.units[unit];
    if (of.kind == graph::DrawnUnit::Kind::Fold)
        return QStringLiteral("x%1").arg(of.turns);
    if (of.kind == graph::DrawnUnit::Kind::Rest)
        return QStringLiteral("+%1").arg(of.nodes.size());
    const std::string kind =
        drawn.graph->nodes()[of.nodes.front()].kind == graph::NodeKind::Output ? "output " : "";
    return QString::fromStdString(kind + drawn.graph->name(of.nodes.front()));
}

inline QString unitsText(const graph::Neighbourhood &drawn)
{
    QStringList texts;
    for (std::size_t u = 0; u < drawn.units.size(); ++u)
        texts << unitText(drawn, u);
    texts.sort();
    return texts.join(QStringLiteral(" | "));
}

inline QString linksText(const graph::Neighbourhood &drawn)
{
    QStringList texts;
    for (const graph::Link &link : drawn.links)
        texts << unitText(drawn, link.from) + QStringLiteral(" > ") + unitText(drawn, link.to);
    texts.sort();
    return texts.join(QStringLiteral(" | "));
}

} // namespace kernscope::test
