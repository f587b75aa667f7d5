// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/program_table.h"

#include "core/base/counted_text.h"
#include "core/bundle/bundle.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

constexpr auto kProgramNumber = TextTable::Align::Right;

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

std::vector<Column<ModelFacts>> modelColumns()
{
    using Row = ModelFacts;
    return {
        {.key = "path",
         .title = "model",
         .explanation = "Path of the model in its pipeline",
         .value =
             [](const Row &row) {
                 return row.node->path.empty()
                            ? Value(Word{row.node->isPipeline() ? "(the pipeline)" : "(the model)"})
                            : Value(View(row.node->path));
             },
         .document = [](const Row &row) { return Json(row.node->path); }},
        {.key = "kind",
         .title = "kind",
         .explanation = "What kind of model it is",
         .value = [](const Row &row) -> Value { return View(row.node->kind); }},
        {.key = "field",
         .title = "field",
         .explanation = "Number of the field that says its kind",
         .shown = kDocument,
         .document = [](const Row &row) { return Json(row.node->field); }},
        {.key = "specification",
         .title = "specification",
         .explanation = "Version of the specification that it is written in",
         .value = [](const Row &row) -> Value { return View(row.node->specification); }},
        {.key = "offset",
         .title = "offset",
         .explanation = "Where its message begins in the file",
         .shown = kDocument,
         .document = [](const Row &row) { return numberJson(row.node->span.offset); }},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "Bytes of its message; a model of a compiled pipeline has files instead",
         .align = kProgramNumber,
         .value = [](const Row &row) -> Value {
             const std::uint64_t bytes = row.node->span.length;
             return bytes == 0 ? Value(Nothing{}) : Value(Count{bytes});
         }},
        {.key = "read",
         .title = "read",
         .explanation = "Whether its content is read",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return isRead(*row.node) || row.node->isPipeline();
         }},
        {.key = "weights",
         .title = "weights",
         .explanation = "Weights that it stores",
         .shown = kTerminal,
         .value = modelWeights}};
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

std::vector<Column<AnnotatedOperation>> annotatedColumns()
{
    using Row = AnnotatedOperation;
    return {{.key = "function",
             .title = "function",
             .explanation = "Function that the operation is in",
             .shown = kTerminal,
             .value = [](const Row &row) -> Value { return View(row.function->name); }},
            {.key = "name",
             .title = "name",
             .explanation = "Name of the operation",
             .value = [](const Row &row) -> Value { return row.operation->displayName(); }},
            {.key = "op",
             .title = "op",
             .explanation = "What it computes",
             .value = [](const Row &row) -> Value { return View(row.operation->type); }},
            {.key = "opset",
             .title = "opset",
             .explanation = "Operation set that it is of",
             .shown = kDocument,
             .document =
                 [](const Row &row) {
                     return row.operation->opset.empty() ? noKey() : Json(row.operation->opset);
                 }},
            {.key = kSelected,
             .title = "runs on",
             .explanation = "Backend that the compiler chose",
             .value = [](const Row &row) -> Value { return View(row.notes.selected); },
             .document = backendDocument<kSelected>},
            {.key = kSupport,
             .title = "supported",
             .explanation = "Backends that can run it",
             .value = [](const Row &row) -> Value {
                 return List(row.notes.supported.begin(), row.notes.supported.end());
             },
             .document = backendDocument<kSupport>},
            {.key = kEstimated,
             .title = "estimated",
             .unit = "ms",
             .explanation = "The compiler's own estimate of its time, by backend",
             .value = estimatesValue,
             .document = backendDocument<kEstimated>},
            {.key = kMessages,
             .title = "messages",
             .explanation = "Why a backend cannot run it",
             .shown = kDocument,
             .document = backendDocument<kMessages>}};
}

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
    for (const mil::ModelNode &node : bundle.program()->models) {
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

const TableOf<FeatureFacts> &featureTable()
{
    using Row = FeatureFacts;
    static const TableOf<Row> kTable{
        "features",
        {{.key = "model",
          .title = "model",
          .explanation = "Path of the model in its pipeline",
          .value = [](const Row &row) { return orAbsent(row.model); },
          .document = [](const Row &row) { return Json(row.model); }},
         {.key = "function",
          .title = "function",
          .explanation = "Function that it is of; blank where the model has but one",
          .value = [](const Row &row) { return orAbsent(row.function); },
          .document = [](const Row &row) { return Json(row.function); }},
         {.key = "use",
          .title = "use",
          .explanation = "Input, output or state",
          .value = [](const Row &row) -> Value { return Word{row.use}; }},
         {.key = "name",
          .title = "name",
          .explanation = "Name by which an app gives or takes it",
          .value = [](const Row &row) -> Value { return View(row.feature->name); }},
         {.key = "type",
          .title = "type",
          .explanation = "Type and default shape; of images width by height",
          .value = [](const Row &row) -> Value { return row.feature->typeText(); }},
         {.key = "kind",
          .title = "kind",
          .explanation = "Kind of value: multiArray, image, string and so on",
          .shown = kDocument,
          .value = [](const Row &row) { return orNothing(row.feature->kind); }},
         {.key = "dtype",
          .title = "element",
          .explanation = "Type of an element of arrays",
          .shown = kDocument,
          .document =
              [](const Row &row) {
                  const ElementType type = row.feature->element;
                  return type == ElementType::Unknown ? Json(nullptr) : Json(elementTypeName(type));
              }},
         {.key = "shape",
          .title = "shape",
          .explanation = "Default shape; of images [height, width]",
          .shown = kDocument,
          .document = [](const Row &row) { return Json(row.feature->shape); }},
         {.key = "allowed",
          .title = "allowed shapes",
          .explanation = "Shapes, or ranges of extents, that it may have instead",
          .value = [](const Row &row) { return orAbsent(row.feature->allowedText()); },
          .document = [](const Row &row) { return textOrNull(row.feature->allowedText()); }},
         {.key = "optional",
          .title = "optional",
          .explanation = "May be left out",
          .shown = kDocument,
          .value = [](const Row &row) -> Value { return row.feature->optional; }},
         {.key = "words",
          .title = "what it is",
          .explanation = "What its author says",
          .value = [](const Row &row) { return orAbsent(row.feature->words); },
          .document = [](const Row &row) { return textOrNull(row.feature->words); }}}};
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
    static const TableOf<ModelFacts> kTable{"models", modelColumns()};
    return kTable;
}

std::vector<AnnotatedOperation> annotatedOperations(const mil::Program &program,
                                                    const mil::Function &function)
{
    std::vector<AnnotatedOperation> rows;
    addAnnotated(function, function.body, mil::segmentBackend(program, function), rows);
    return rows;
}

const TableOf<AnnotatedOperation> &annotatedOperationTable()
{
    static const TableOf<AnnotatedOperation> kTable{
        "annotated_operations", annotatedColumns(), {"op", "name", "opset"}};
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
    static const TableOf<SharedRecord> kTable{
        "shared_records",
        {{.key = "file",
          .title = "file",
          .explanation = "File that holds the record",
          .value = [](const SharedRecord &row) -> Value { return row.file; }},
         {.key = "offset",
          .title = "offset",
          .explanation = "Where the record begins in the file",
          .align = kProgramNumber,
          .value = [](const SharedRecord &row) -> Value { return Hex{row.offset.value}; }},
         {.key = "bytes",
          .title = "bytes",
          .explanation = "Bytes of its data",
          .align = kProgramNumber,
          .value = [](const SharedRecord &row) -> Value { return Count{row.bytes.value}; }},
         {.key = "weights",
          .title = "weights",
          .explanation = "Weights that store it",
          .value = [](const SharedRecord &row) -> Value { return row.weights; }}}};
    return kTable;
}

} // namespace kernscope::report
