// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/graph_table.h"

#include "core/bundle/bundle.h"

#include "core/graph/label.h"

#include <algorithm>

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
        {kNumber, "hop", "hop", "How many values away from what was asked for",
         [](const Row &row) -> Value { return Count(unitOf(row).hop); }, notSearched()},
        {"kind", "kind",
         "What it is: an operation, a weight, an end of the function, a repeated block, or what "
         "the limit left out",
         [](const Row &row) -> Value { return Word(kindWord(row)); }},
        {"op", "operation", "Kind of the operation, or of those of a repeated block",
         [](const Row &row) -> Value {
             std::string text = typeOf(row);
             return text.empty() ? Value(Nothing()) : Value(std::move(text));
         }},
        {kName, "name", "name", "Name in the program",
         [](const Row &row) -> Value { return nameOf(*row.drawn, row.unit); }},
        {"result", "result", "Type and extents of the first value that it gives",
         [](const Row &row) -> Value {
             std::string text =
                 isNode(row) ? row.drawn->graph->result(unitOf(row).nodes.front()) : std::string();
             return text.empty() ? Value(Nothing()) : Value(std::move(text));
         }},
        {"form", "form", "How a weight is stored",
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
        {kDocument | kWindow, "reads", "reads", "What is drawn and gives it a value",
         [](const Row &row) { return namesOrNothing(namesBeside(row, true)); }},
        {kName, "read_by", "read by", "What is drawn and reads a value of it",
         [](const Row &row) { return namesOrNothing(namesBeside(row, false)); }},
        {kNumber, "more", "more", "Neighbours beyond the last hop, which are not drawn",
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

} // namespace kernscope::report
