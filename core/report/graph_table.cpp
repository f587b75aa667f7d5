// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/graph_table.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/graph/graph.h"
#include "core/graph/label.h"
#include "core/report/json_table.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using graph::DrawnUnit;
using graph::NodeKind;

const DrawnUnit &unitOf(const GraphRow &row)
{
    return row.drawn->units[row.unit];
}

const graph::Node &nodeOf(const GraphRow &row)
{
    return row.drawn->graph->nodes()[unitOf(row).nodes.front()];
}

bool isNode(const GraphRow &row)
{
    return unitOf(row).kind == DrawnUnit::Kind::Node;
}

std::string_view kindWord(const GraphRow &row)
{
    switch (unitOf(row).kind) {
    case DrawnUnit::Kind::Fold: return "repeat";
    case DrawnUnit::Kind::Rest: return "left out";
    case DrawnUnit::Kind::Node: break;
    }
    switch (nodeOf(row).kind) {
    case NodeKind::Operation: return "operation";
    case NodeKind::Weight: return "weight";
    case NodeKind::Input: return "input";
    case NodeKind::Output: return "output";
    case NodeKind::BlockInput: return "block input";
    }
    return "";
}

std::string nameOf(const graph::Neighbourhood &drawn, std::size_t index)
{
    const DrawnUnit &unit = drawn.units[index];
    return unit.kind == DrawnUnit::Kind::Node ? drawn.graph->name(unit.nodes.front())
                                              : graph::unitLabel(drawn, index).title;
}

/// The names at the other ends of its arrows, each once.
List namesBeside(const GraphRow &row, bool before)
{
    List names;
    for (const graph::Link &link : row.drawn->links) {
        if ((before ? link.to : link.from) != row.unit)
            continue;
        std::string name = nameOf(*row.drawn, before ? link.from : link.to);
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

/// The first names, and how many more there are: a weight may have hundreds of readers.
Value namesOrNothing(List names)
{
    constexpr std::size_t kMostNames = 3;
    const std::size_t more = names.size() - std::min(names.size(), kMostNames);
    names.resize(names.size() - more);
    if (more > 0)
        names.push_back(fmt::format("+{}", more));
    return names.empty() ? Value(Nothing()) : Value(std::move(names));
}

std::string typeOf(const GraphRow &row)
{
    if (unitOf(row).kind == DrawnUnit::Kind::Fold)
        return graph::foldKinds(*row.drawn, unitOf(row));
    return isNode(row) && nodeOf(row).kind == NodeKind::Operation
               ? row.drawn->graph->title(unitOf(row).nodes.front())
               : std::string();
}

} // namespace

std::vector<GraphRow> graphRows(const std::shared_ptr<const graph::Neighbourhood> &drawn)
{
    std::vector<GraphRow> rows;
    for (std::size_t u = 0; drawn && u < drawn->units.size(); ++u)
        rows.push_back({drawn, u});
    return rows;
}

const TableOf<GraphRow> &graphTable()
{
    using Row = GraphRow;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "hop", "How many values away from what was asked for",
         [](const Row &row) -> Value { return Count(unitOf(row).hop); }, notSearched()},
        {"kind",
         "What it is: an operation, a weight, an end of the function, a repeated block, or what "
         "the limit left out",
         [](const Row &row) -> Value { return Word(kindWord(row)); }},
        {"op", "operation", "Kind of the operation, or of those of a repeated block",
         [](const Row &row) -> Value {
             std::string text = typeOf(row);
             return text.empty() ? Value(Nothing()) : Value(std::move(text));
         }},
        {kName, "name", "Name in the program",
         [](const Row &row) -> Value { return nameOf(*row.drawn, row.unit); }},
        {"result", "Type and extents of the first value that it gives",
         [](const Row &row) -> Value {
             std::string text =
                 isNode(row) ? row.drawn->graph->result(unitOf(row).nodes.front()) : std::string();
             return text.empty() ? Value(Nothing()) : Value(std::move(text));
         }},
        {"form", "How a weight is stored",
         [](const Row &row) -> Value {
             return isNode(row) && nodeOf(row).kind == NodeKind::Weight
                        ? Value(row.drawn->graph->title(unitOf(row).nodes.front()))
                        : Value(Nothing());
         }},
        {kNumber, "stored_bytes", "stored",
         "Bytes of a weight, or of the weights of a repeated block",
         [](const Row &row) -> Value {
             return row.drawn->weights(unitOf(row)) == 0
                        ? Value(Nothing())
                        : known<Count>(row.drawn->storedBytes(unitOf(row)));
         },
         withUnit("B"), notSearched()},
        {kDocument | kWindow, "reads", "What is drawn and gives it a value",
         [](const Row &row) { return namesOrNothing(namesBeside(row, true)); }},
        {kName, "read_by", "read by", "What is drawn and reads a value of it",
         [](const Row &row) { return namesOrNothing(namesBeside(row, false)); }},
        {kNumber, "more", "Neighbours beyond the last hop, which are not drawn",
         [](const Row &row) -> Value {
             const std::size_t more = unitOf(row).before + unitOf(row).after;
             return more == 0 ? Value(Nothing()) : Value(Count(more));
         },
         notSearched()},
    };
    static const TableOf<Row> kTable{
        "graph", kColumns, {}, {"name", "kind", "op", "result", "form", "stored_bytes"}};
    return kTable;
}

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

void addType(Json &json, const std::shared_ptr<const mil::NamedType> &value)
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
