// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/program_table.h"

#include "core/base/counted_text.h"
#include "core/bundle/bundle.h"
#include "core/report/json_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

/// A column that no row has is left out.
Value orAbsent(std::string text)
{
    return text.empty() ? Value(Absent()) : Value(std::move(text));
}
Value orAbsent(std::string_view text)
{
    return orAbsent(std::string(text));
}
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

} // namespace

std::vector<ModelFacts> modelFacts(const Bundle &bundle)
{
    std::vector<ModelFacts> rows;
    for (const mil::ModelNode &node : bundle.programOutline().models) {
        const auto &weights = bundle.weights();
        const auto own = std::count_if(weights.begin(), weights.end(), [&](const Weight &weight) {
            return weight.model == node.path;
        });
        rows.push_back({&node, static_cast<std::size_t>(own)});
    }
    return rows;
}

std::vector<FeatureFacts> featureFacts(const Bundle &bundle)
{
    std::vector<FeatureFacts> rows;
    for (const mil::ModelDescription &description : bundle.programOutline().descriptions) {
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

const TableOf<FeatureFacts> &featureTable()
{
    using Row = FeatureFacts;
    static constexpr Column<Row> kColumns[] = {
        {"model", "Path of the model in its pipeline",
         [](const Row &row) { return orAbsent(row.model); },
         jsonOf([](const Row &row) { return Json(row.model); })},
        {"function", "Function that it is of; blank where the model has but one",
         [](const Row &row) { return orAbsent(row.function); },
         jsonOf([](const Row &row) { return Json(row.function); })},
        {"use", "Input, output or state", [](const Row &row) -> Value { return Word(row.use); }},
        {"name", "Name by which an app gives or takes it",
         [](const Row &row) -> Value { return View(row.feature->name); }},
        {"type", "Type and default shape; of images width by height",
         [](const Row &row) -> Value { return row.feature->typeText(); }},
        {kDocument, "kind", "Kind of value: multiArray, image, string and so on",
         [](const Row &row) { return orNothing(row.feature->kind); }},
        {kDocument, "dtype", "element", "Type of an element of arrays", nullptr,
         jsonOf([](const Row &row) {
             const ElementType type = row.feature->element;
             return type == ElementType::Unknown ? Json(nullptr) : Json(elementTypeName(type));
         })},
        {kDocument, "shape", "Default shape; of images [height, width]", nullptr,
         jsonOf([](const Row &row) { return Json(row.feature->shape); })},
        {"allowed", "allowed shapes", "Shapes, or ranges of extents, that it may have instead",
         [](const Row &row) { return orAbsent(row.feature->allowedText()); },
         jsonOf([](const Row &row) { return textOrNull(row.feature->allowedText()); })},
        {kDocument, "optional", "May be left out",
         [](const Row &row) -> Value { return row.feature->optional; }},
        {"words", "what it is", "What its author says",
         [](const Row &row) { return orAbsent(row.feature->words); },
         jsonOf([](const Row &row) { return textOrNull(row.feature->words); })},
    };
    static const TableOf<Row> kTable{"features", kColumns};
    return kTable;
}

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
        const auto found = std::find_if(values.begin(), values.end(),
                                        [&](const auto &value) { return value.name == output; });
        return found == values.end() || !found->type.isTensor() ? nullptr : &found->type;
    };
    for (const mil::Operation &operation : function.body.operations) {
        if (const mil::ValueType *type = named(operation.outputs))
            return type;
    }
    return named(function.inputs);
}

const TableOf<ModelFacts> &modelTable()
{
    using Row = ModelFacts;
    static constexpr Column<Row> kColumns[] = {
        {"path", "model", "Path of the model in its pipeline",
         [](const Row &row) {
             return row.node->path.empty()
                        ? Value(Word(row.node->isPipeline() ? "(the pipeline)" : "(the model)"))
                        : Value(View(row.node->path));
         },
         jsonOf([](const Row &row) { return Json(row.node->path); })},
        {"kind", "What kind of model it is",
         [](const Row &row) -> Value { return View(row.node->kind); }},
        {kDocument, "field", "Number of the field that says its kind", nullptr,
         jsonOf([](const Row &row) { return Json(row.node->field); })},
        {"specification", "Version of the specification that it is written in",
         [](const Row &row) -> Value { return View(row.node->specification); }},
        {kDocument, "offset", "Where its message begins in the file", nullptr,
         jsonOf([](const Row &row) { return numberJson(row.node->span.offset); })},
        {kNumber, "bytes", "Bytes of its message; a model of a compiled pipeline has files instead",
         [](const Row &row) -> Value {
             const std::uint64_t bytes = row.node->span.length;
             return bytes == 0 ? Value(Nothing{}) : Value(Count(bytes));
         }},
        {kDocument, "read", "Whether its content is read",
         [](const Row &row) -> Value { return isRead(*row.node) || row.node->isPipeline(); }},
        {kTerminal, "weights", "Weights that it stores", modelWeights},
    };
    static const TableOf<Row> kTable{"models", kColumns};
    return kTable;
}

std::vector<AnnotatedOperation> annotatedOperations(const mil::Function &function,
                                                    const std::string &segment)
{
    std::vector<AnnotatedOperation> rows;
    addAnnotated(function, function.body, segment, rows);
    return rows;
}

const TableOf<AnnotatedOperation> &annotatedOperationTable()
{
    using Row = AnnotatedOperation;
    static constexpr Column<Row> kColumns[] = {
        {kTerminal, "function", "Function that the operation is in",
         [](const Row &row) -> Value { return View(row.function->name); }},
        {"name", "Name of the operation",
         [](const Row &row) -> Value { return row.operation->displayName(); }},
        {"op", "What it computes",
         [](const Row &row) -> Value { return View(row.operation->type); }},
        {kDocument, "opset", "Operation set that it is of", nullptr, jsonOf([](const Row &row) {
             return row.operation->opset.empty() ? noKey() : Json(row.operation->opset);
         })},
        {kSelected, "runs on", "Backend that the compiler chose",
         [](const Row &row) -> Value { return View(row.notes.selected); },
         jsonOf(backendDocument<kSelected>)},
        {kSupport, "supported", "Backends that can run it",
         [](const Row &row) -> Value {
             return List(row.notes.supported.begin(), row.notes.supported.end());
         },
         jsonOf(backendDocument<kSupport>)},
        {kEstimated, "estimated", "The compiler's own estimate of its time, by backend",
         estimatesValue, withUnit("ms"), jsonOf(backendDocument<kEstimated>)},
        {kDocument, kMessages, "messages", "Why a backend cannot run it", nullptr,
         jsonOf(backendDocument<kMessages>)},
    };
    static const TableOf<Row> kTable{"annotated_operations", kColumns, {"op", "name", "opset"}};
    return kTable;
}

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

const TableOf<SharedRecord> &sharedRecordTable()
{
    using Row = SharedRecord;
    static constexpr Column<Row> kColumns[] = {
        {"file", "File that holds the record", member<&SharedRecord::file>},
        {kNumber, "offset", "Where the record begins in the file",
         [](const SharedRecord &row) -> Value { return Hex(row.offset.value); }},
        {kNumber, "bytes", "Bytes of its data",
         [](const SharedRecord &row) -> Value { return Count(row.bytes.value); }},
        {"weights", "Weights that store it", member<&SharedRecord::weights>},
    };
    static const TableOf<Row> kTable{"shared_records", kColumns};
    return kTable;
}

Json shapesJson(const shapes::Summary &summary)
{
    Json json;
    json["bound"] = Json::array();
    for (const shapes::ShapeBinding &each : summary.bound) {
        Json dims = Json::array();
        for (const std::int64_t extent : each.dims)
            dims.push_back(extent < 0 ? Json(nullptr) : Json(extent));
        json["bound"].push_back({{"input", each.input}, {"shape", std::move(dims)}});
    }
    json["values"] = summary.values;
    json["open"] = summary.open;
    json["inferred"] = summary.inferred;
    json["unknown"] = Json::array();
    for (const shapes::Open &each : summary.unknown)
        json["unknown"].push_back({{"function", each.function},
                                   {"operation", each.operation},
                                   {"op", each.type},
                                   {"value", each.value},
                                   {"reason", each.reason}});
    return json;
}

} // namespace kernscope::report
