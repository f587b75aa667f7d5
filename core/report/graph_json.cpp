// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/graph_json.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/graph/graph.h"
#include "core/report/json_values.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kernscope::report {

namespace {

using graph::DrawnUnit;
using graph::EdgeKind;
using graph::Neighbourhood;
using graph::NodeKind;

/// What is not known: null.
Json storedJson(std::optional<std::uint64_t> bytes)
{
    return bytes ? numberJson(*bytes) : Json(nullptr);
}

/// Names of what is in a fold or left out.
Json namesJson(const Neighbourhood &drawn, const DrawnUnit &unit)
{
    Json names = Json::array();
    for (const std::size_t node : unit.nodes)
        names.push_back(drawn.graph->name(node));
    return names;
}

Json extentsJson(const mil::ValueType &type)
{
    if (!type.isTensor())
        return nullptr;
    Json extents = Json::array();
    for (const std::int64_t extent : type.dims)
        extents.push_back(extent < 0 ? Json(nullptr) : Json(extent));
    return extents;
}

void addType(Json &json, const mil::NamedType *value)
{
    if (!value)
        return;
    json["type"] = graph::typeText(value->type);
    json["shape"] = extentsJson(value->type);
}

void addNode(Json &json, const Neighbourhood &drawn, std::size_t n)
{
    const graph::Graph &graph = *drawn.graph;
    const graph::Node &node = graph.nodes()[n];
    json["kind"] = graph::nodeKindName(node.kind);
    if (node.kind == NodeKind::Operation)
        json["op"] = graph.operation(n)->type;
    json["name"] = graph.name(n);
    if (node.kind == NodeKind::Weight) {
        const Weight &weight = graph.bundle().weights()[node.weight];
        json["weight"] = weight.findableName();
        json["address"] = weight.address();
        json["form"] = formText(weight.form);
        const auto stored = knownStoredBytes(weight);
        json["stored_bytes"] = storedJson(stored ? std::optional(stored->value) : std::nullopt);
        json["type"] = graph.result(n);
        json["shape"] = numbersJson(weight.shape);
    } else {
        addType(json, graph.value(node.value));
    }
    if (const auto constants = graph.constantsOf(n); !constants.empty())
        json["constants"] = constants;
    if (node.callee != graph::kNone)
        json["calls"] = graph.functionName(node.callee);
    if (node.holder != graph::kNone) {
        json["inside"] = graph.name(node.holder);
        json["block"] = std::size_t(node.block);
    }
    if (node.run != graph::kNone)
        json["repeat"] = {{"id", std::size_t(node.run)},
                          {"turn", std::size_t(node.turn)},
                          {"turns", graph.runs()[node.run].turns},
                          {"operations", graph.runs()[node.run].operations}};
}

Json graphUnitJson(const Neighbourhood &drawn, std::size_t index)
{
    const DrawnUnit &unit = drawn.units[index];
    Json json;
    json["id"] = index;
    json["hop"] = unit.hop;
    if (unit.kind == DrawnUnit::Kind::Node) {
        addNode(json, drawn, unit.nodes.front());
    } else {
        const bool fold = unit.kind == DrawnUnit::Kind::Fold;
        json["kind"] = fold ? "repeat" : "left-out";
        if (fold) {
            json["repeat"] = {{"id", unit.run},
                              {"turns", unit.turns},
                              {"operations", drawn.graph->runs()[unit.run].operations}};
            json["stored_bytes"] = storedJson(drawn.storedBytes(unit));
        }
        json["operations"] = drawn.operations(unit);
        json["weights"] = drawn.weights(unit);
        json["names"] = namesJson(drawn, unit);
    }
    json["more_before"] = unit.before;
    json["more_after"] = unit.after;
    return json;
}

std::string_view edgeKindName(EdgeKind kind)
{
    switch (kind) {
    case EdgeKind::Value: return "value";
    case EdgeKind::Enters: return "enters-block";
    case EdgeKind::Yields: return "block-result";
    }
    return "";
}

} // namespace

void addGraph(Json &document, const Neighbourhood &drawn)
{
    Json centers = Json::array(), nodes = Json::array(), edges = Json::array();
    for (const std::size_t centre : drawn.scope.centres)
        centers.push_back(drawn.graph->name(centre));
    document["function"] = drawn.scope.centres.empty()
                               ? Json(nullptr)
                               : Json(drawn.graph->functionName(
                                     drawn.graph->nodes()[drawn.scope.centres.front()].function));
    document["centers"] = std::move(centers);
    document["hops"] = drawn.scope.hops;
    for (std::size_t u = 0; u < drawn.units.size(); ++u)
        nodes.push_back(graphUnitJson(drawn, u));
    for (const graph::Link &link : drawn.links) {
        if (link.edges.empty()) {
            edges.push_back({{"from", link.from}, {"to", link.to}, {"kind", "left-out"}});
            continue;
        }
        for (const std::size_t e : link.edges) {
            const graph::Edge &edge = drawn.graph->edges()[e];
            Json json{{"from", link.from}, {"to", link.to}, {"kind", edgeKindName(edge.kind)}};
            const auto value = drawn.graph->value(edge.value);
            const std::string_view param = drawn.graph->param(edge);
            json["value"] = value ? value->name : drawn.graph->name(edge.from);
            json["param"] = param.empty() ? Json(nullptr) : Json(std::string(param));
            addType(json, value);
            edges.push_back(std::move(json));
        }
    }
    document["nodes"] = std::move(nodes);
    document["edges"] = std::move(edges);
    document["left_out"] = drawn.leftOut;
}

Json graphJson(std::string_view path, std::string_view output, const graph::Neighbourhood &drawn)
{
    Json json = document("graph");
    json["path"] = path;
    if (!output.empty())
        json["output"] = output;
    addGraph(json, drawn);
    return json;
}

} // namespace kernscope::report
