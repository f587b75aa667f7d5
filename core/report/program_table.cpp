// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/program_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/json_table.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

Json textOrNull(const std::string &text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

bool isRead(const mil::ModelNode &node)
{
    return node.isProgram() || node.isNetwork();
}

/// A pipeline has none of its own; the weights of other kinds are not read.
Value modelWeights(const ModelFacts &row)
{
    if (isRead(*row.node))
        return Count{row.weights};
    return row.node->isPipeline() ? Value(Nothing()) : Value(Word{"shown as bytes"});
}

/// "ane 0.00175, bnns 0.0375": the compiler's own estimates, in milliseconds.
Value estimatesValue(const AnnotatedOperation &row)
{
    List texts;
    for (const auto &[backend, ms] : row.notes.estimatedMs)
        texts.push_back(fmt::format("{} {:.3g}", backend, ms));
    return texts;
}

/// One of the keys that addBackends() writes.
template <const char *Key>
Json backendDocument(const AnnotatedOperation &row)
{
    Json all;
    addBackends(all, row.notes);
    return all.contains(Key) ? std::move(all[Key]) : noKey();
}

constexpr char kSelected[] = "selected_backend";
constexpr char kSupport[] = "backend_support";
constexpr char kEstimated[] = "estimated_runtime_ms";
constexpr char kMessages[] = "validation_message";

void addAnnotated(const mil::Function &function, const mil::Block &block,
                  const std::string &segment, std::vector<AnnotatedOperation> &rows)
{
    for (const mil::Operation &operation : block.operations) {
        mil::BackendNotes notes = mil::backendNotes(operation, segment);
        if (!notes.empty() && operation.type != "const")
            rows.push_back({&function, &operation, std::move(notes)});
        for (const mil::Block &nested : operation.blocks)
            addAnnotated(function, nested, segment, rows);
    }
}

/// Weights by the record that they store, which is a file and an offset.
using RecordUsers = std::map<std::pair<std::size_t, std::uint64_t>, SharedRecord>;

void addRecords(const Bundle &bundle, const Weight &weight, RecordUsers &users)
{
    const std::string name = weight.findableName();
    for (const codec::Operand &operand : weight.operands()) {
        const OperandPlace &place = *operand.place;
        if (!place.shared || !place.pieces.empty())
            continue;
        SharedRecord &record = users[{place.file, place.metaOffset.value}];
        if (record.weights.empty()) {
            record.file = bundle.files()[place.file].path;
            record.offset = place.metaOffset;
            record.bytes = place.bytes;
        }
        if (record.weights.empty() || record.weights.back() != name)
            record.weights.push_back(name);
    }
}

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
        if (std::ranges::find(names, name) == names.end())
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
    return orNothing(std::move(names));
}

std::string typeOf(const GraphRow &row)
{
    if (unitOf(row).kind == DrawnUnit::Kind::Fold)
        return graph::foldKinds(*row.drawn, unitOf(row));
    return isNode(row) && nodeOf(row).kind == NodeKind::Operation
               ? row.drawn->graph->title(unitOf(row).nodes.front())
               : std::string();
}

using graph::EdgeKind;
using graph::Neighbourhood;

Json extentsJson(const mil::ValueType &type)
{
    if (!type.isTensor())
        return nullptr;
    return listJson(type.dims, [&](const std::int64_t extent) {
        return extent < 0 ? Json(nullptr) : Json(extent);
    });
}

void addType(Json &json, const mil::NamedType *value)
{
    if (!value)
        return;
    json["type"] = graph::valueTypeText(value->type);
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
        json["stored_bytes"] = numberJson(stored);
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
    Json json{{"id", index}, {"hop", unit.hop}};
    if (unit.kind == DrawnUnit::Kind::Node) {
        addNode(json, drawn, unit.nodes.front());
    } else {
        const bool fold = unit.kind == DrawnUnit::Kind::Fold;
        json["kind"] = fold ? "repeat" : "left-out";
        if (fold) {
            json["repeat"] = {{"id", unit.run},
                              {"turns", unit.turns},
                              {"operations", drawn.graph->runs()[unit.run].operations}};
            json["stored_bytes"] = numberJson(drawn.storedBytes(unit));
        }
        json["operations"] = drawn.operations(unit);
        json["weights"] = drawn.weights(unit);
        json["names"] =
            listJson(unit.nodes, [&](const std::size_t node) { return drawn.graph->name(node); });
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

std::vector<ModelFacts> modelFacts(const Bundle &bundle)
{
    std::vector<ModelFacts> rows;
    for (const mil::ModelNode &node : bundle.program()->models) {
        const auto &weights = bundle.weights();
        const auto own = std::ranges::count(weights, node.path, &Weight::model);
        rows.push_back({&node, static_cast<std::size_t>(own)});
    }
    return rows;
}

std::vector<mil::NumberTable> numberTables(const Bundle &bundle, bool &cut)
{
    std::vector<mil::NumberTable> tables;
    const auto file = bundle.programFile();
    for (const mil::ModelNode &node : bundle.program()->models) {
        if (file == kNoIndex || !mil::hasNumberTables(node))
            continue;
        const BundleFile &held = bundle.files()[file];
        auto own = mil::numberTables(held.file->bytes(), node, held.path, cut);
        std::move(own.begin(), own.end(), std::back_inserter(tables));
    }
    return tables;
}

void addNumbers(Json &document, const std::vector<mil::NumberTable> &tables, bool cut)
{
    document["numbers"] = listJson(tables, [](const mil::NumberTable &table) -> Json {
        Json rows = Json::array();
        for (const std::vector<double> &row : table.rows) {
            Json cells = Json::array();
            for (const double number : row)
                cells.push_back(std::isfinite(number) ? Json(number) : Json(nullptr));
            rows.push_back(std::move(cells));
        }
        return {{"model", table.model},
                {"table", table.name},
                {"columns", table.columns},
                {"rows", std::move(rows)}};
    });
    document["numbers_cut"] = cut;
}

std::vector<FeatureFacts> featureFacts(const Bundle &bundle)
{
    std::vector<FeatureFacts> rows;
    for (const mil::ModelDescription &description : bundle.program()->descriptions) {
        for (const mil::FunctionDescription &function : description.functions) {
            const auto add = [&](std::string_view use,
                                 const std::vector<mil::ModelFeature> &features) {
                for (const mil::ModelFeature &feature : features)
                    rows.push_back({description.model, function.name, use, &feature});
            };
            add("in", function.inputs);
            add("out", function.outputs);
            add("state", function.states);
        }
    }
    return rows;
}

const TableOf<FeatureFacts> featureTable(
    "features",
    {{"model", "Path of the model in its pipeline", CELL(orAbsent(row.model)),
      jsonOf(CELL(Json(row.model)))},
     {"function", "Function that it is of; blank where the model has but one",
      CELL(orAbsent(row.function)), jsonOf(CELL(Json(row.function)))},
     {"use", "Input, output or state", CELL(Word(row.use))},
     {"name", "Name by which an app gives or takes it", CELL(View(row.feature->name))},
     {"type", "Type and default shape; of images width by height", CELL(row.feature->typeText())},
     {kDocument, "kind", "Kind of value: multiArray, image, string and so on",
      CELL(orNothing(row.feature->kind))},
     {kDocument, "dtype", "Type of an element of arrays",
      [](auto &row) {
          const ElementType type = row.feature->element;
          return type == ElementType::Unknown ? Json(nullptr) : Json(elementTypeName(type));
      }},
     {kDocument, "shape", "Default shape; of images [height, width]",
      CELL(Json(row.feature->shape))},
     {"allowed", "allowed shapes", "Shapes, or ranges of extents, that it may have instead",
      CELL(orAbsent(row.feature->allowedText())),
      jsonOf(CELL(textOrNull(row.feature->allowedText())))},
     {kDocument, "optional", "May be left out", CELL(row.feature->optional)},
     {"words", "what it is", "What its author says", CELL(orAbsent(row.feature->words)),
      jsonOf(CELL(textOrNull(row.feature->words)))}});

std::vector<std::string> descriptionLines(const mil::ModelDescription &description,
                                          std::size_t mostLabels)
{
    std::vector<std::string> lines;
    if (!description.defaultFunction.empty())
        lines.push_back("default function: " + description.defaultFunction);
    for (const mil::FunctionDescription &function : description.functions) {
        if (!function.predictedFeature.empty())
            lines.push_back(
                fmt::format("predicts {}{}", function.predictedFeature,
                            function.predictedProbabilities.empty()
                                ? std::string()
                                : ", probabilities in " + function.predictedProbabilities));
    }
    if (const std::size_t count = description.labels.size(); count > 0) {
        const std::size_t shown = std::min(count, mostLabels);
        lines.push_back(fmt::format(
            "{}: {}{}", counted(count, "label"),
            fmt::join(description.labels.begin(),
                      description.labels.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
            shown < count ? fmt::format(" and {} more", count - shown) : ""));
    }
    for (const auto &[key, value] : description.metadata) {
        if (key == "shortDescription" || key == "author" || key == "license" || key == "version")
            lines.push_back(
                fmt::format("{}: {}", key == "shortDescription" ? "description" : key, value));
    }
    return lines;
}

const mil::ValueType *outputType(const mil::Function &function, std::string_view output)
{
    const auto named = [&](const auto &values) -> const mil::ValueType * {
        const auto found =
            std::ranges::find_if(values, [&](const auto &value) { return value.name == output; });
        return found == values.end() || !found->type.isTensor() ? nullptr : &found->type;
    };
    for (const mil::Operation &operation : function.body.operations) {
        if (const mil::ValueType *type = named(operation.outputs))
            return type;
    }
    return named(function.inputs);
}

const TableOf<ModelFacts> modelTable(
    "models",
    {{"path", "model", "Path of the model in its pipeline",
      CELL(row.node->path.empty()
               ? Value(Word(row.node->isPipeline() ? "(the pipeline)" : "(the model)"))
               : Value(View(row.node->path))),
      jsonOf(CELL(Json(row.node->path)))},
     {"kind", "What kind of model it is", CELL(View(row.node->kind))},
     {kDocument, "field", "Number of the field that says its kind", CELL(Json(row.node->field))},
     {"specification", "Version of the specification that it is written in",
      CELL(View(row.node->specification))},
     {kDocument, "offset", "Where its message begins in the file",
      CELL(numberJson(row.node->span.offset))},
     {kNumber, "bytes", "Bytes of its message; a model of a compiled pipeline has files instead",
      [](auto &row) {
          const std::uint64_t bytes = row.node->span.length;
          return bytes == 0 ? Value(Nothing{}) : Value(Count(bytes));
      }},
     {kDocument, "read", "Whether its content is read",
      CELL(isRead(*row.node) || row.node->isPipeline())},
     {kTerminal, "weights", "Weights that it stores", modelWeights}});

std::vector<AnnotatedOperation> annotatedOperations(const mil::Function &function,
                                                    const std::string &segment)
{
    std::vector<AnnotatedOperation> rows;
    addAnnotated(function, function.body, segment, rows);
    return rows;
}

const TableOf<AnnotatedOperation> annotatedOperationTable(
    "annotated_operations",
    {{kTerminal, "function", "Function that the operation is in", CELL(View(row.function->name))},
     {"name", "Name of the operation", CELL(row.operation->displayName())},
     {"op", "What it computes", CELL(View(row.operation->type))},
     {kDocument, "opset", "Operation set that it is of",
      CELL(row.operation->opset.empty() ? noKey() : Json(row.operation->opset))},
     {kSelected, "runs on", "Backend that the compiler chose", CELL(View(row.notes.selected)),
      jsonOf(backendDocument<kSelected>)},
     {kSupport, "supported", "Backends that can run it",
      CELL(List(row.notes.supported.begin(), row.notes.supported.end())),
      jsonOf(backendDocument<kSupport>)},
     {kEstimated, "estimated", "The compiler's own estimate of its time, by backend",
      estimatesValue, withUnit("ms"), jsonOf(backendDocument<kEstimated>)},
     {kDocument, kMessages, "Why a backend cannot run it", backendDocument<kMessages>}},
    {"op", "name", "opset"});

std::vector<SharedRecord> sharedRecords(const Bundle &bundle)
{
    RecordUsers users;
    for (const Weight &weight : bundle.weights())
        addRecords(bundle, weight, users);
    std::vector<SharedRecord> rows;
    for (auto &[place, record] : users) {
        if (record.weights.size() > 1)
            rows.push_back(std::move(record));
    }
    return rows;
}

const TableOf<SharedRecord> sharedRecordTable(
    "shared_records",
    {{"file", "File that holds the record", member<&SharedRecord::file>},
     {kNumber, "offset", "Where the record begins in the file", CELL(Hex(row.offset.value))},
     {kNumber, "bytes", "Bytes of its data", CELL(Count(row.bytes.value))},
     {"weights", "Weights that store it", member<&SharedRecord::weights>}});

void addBoundShapes(Json &document, const std::optional<shapes::Summary> &shapes, bool described)
{
    if (!shapes)
        return;
    Json &json = document["shapes"];
    json["bound"] = Json::array();
    for (const shapes::ShapeBinding &each : shapes->bound) {
        Json dims = listJson(each.dims, [&](const std::int64_t extent) {
            return extent < 0 ? Json(nullptr) : Json(extent);
        });
        json["bound"].push_back({{"input", each.input}, {"shape", std::move(dims)}});
    }
    json["values"] = shapes->values;
    json["open"] = shapes->open;
    json["inferred"] = shapes->inferred;
    json["unknown"] = listJson(shapes->unknown, [&](const auto &each) -> Json {
        return {{"function", each.function},
                {"operation", each.operation},
                {"op", each.type},
                {"value", each.value},
                {"reason", each.reason}};
    });
    json["from"] = described ? "description" : "--shape";
}

std::vector<GraphRow> graphRows(const std::shared_ptr<const graph::Neighbourhood> &drawn)
{
    std::vector<GraphRow> rows;
    for (std::size_t u = 0; drawn && u < drawn->units.size(); ++u)
        rows.push_back({drawn, u});
    return rows;
}

const TableOf<GraphRow> graphTable(
    "graph",
    {{kNumber, "hop", "How many values away from what was asked for", CELL(Count(unitOf(row).hop)),
      notSearched()},
     {"kind",
      "What it is: an operation, a weight, an end of the function, a repeated block, or what "
      "the limit left out",
      CELL(Word(kindWord(row)))},
     {"op", "operation", "Kind of the operation, or of those of a repeated block",
      CELL(orNothing(typeOf(row)))},
     {kName, "name", "Name in the program", CELL(nameOf(*row.drawn, row.unit))},
     {"result", "Type and extents of the first value that it gives",
      CELL(orNothing(isNode(row) ? row.drawn->graph->result(unitOf(row).nodes.front())
                                 : std::string()))},
     {"form", "How a weight is stored",
      CELL(isNode(row) && nodeOf(row).kind == NodeKind::Weight
               ? Value(row.drawn->graph->title(unitOf(row).nodes.front()))
               : Value(Nothing()))},
     {kNumber, "stored_bytes", "stored", "Bytes of a weight, or of the weights of a repeated block",
      CELL(row.drawn->weights(unitOf(row)) == 0
               ? Value(Nothing())
               : known<Count>(row.drawn->storedBytes(unitOf(row)))),
      withUnit("B"), notSearched()},
     {kDocument | kWindow, "reads", "What is drawn and gives it a value",
      CELL(namesOrNothing(namesBeside(row, true)))},
     {kName, "read_by", "read by", "What is drawn and reads a value of it",
      CELL(namesOrNothing(namesBeside(row, false)))},
     {kNumber, "more", "Neighbours beyond the last hop, which are not drawn",
      [](auto &row) {
          const std::size_t more = unitOf(row).before + unitOf(row).after;
          return more == 0 ? Value(Nothing()) : Value(Count(more));
      },
      notSearched()}},
    {}, {"name", "kind", "op", "result", "form", "stored_bytes"});

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
