// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/json.h"

#include "core/base/find.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/container/milblob/milblob.h"
#include "core/report/byte_table.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"
#include "core/report/program_table.h"

#include <cmath>

namespace kernscope::report {

Json numberJson(std::uint64_t number)
{
    constexpr std::uint64_t kExact = std::uint64_t(1) << 53;
    return number <= kExact ? Json(number) : Json(std::to_string(number));
}

Json finiteJson(double number)
{
    return std::isfinite(number) ? Json(number) : Json(nullptr);
}

Json numberJson(const std::optional<std::uint64_t> &number)
{
    return number ? numberJson(*number) : Json(nullptr);
}

Json numberJson(const std::optional<ByteCount> &bytes)
{
    return bytes ? numberJson(bytes->value) : Json(nullptr);
}

Json numbersJson(std::span<const std::uint64_t> numbers)
{
    return listJson(numbers, [&](const std::uint64_t number) { return numberJson(number); });
}

Json ratioJson(double ratio)
{
    if (!std::isfinite(ratio))
        return nullptr;
    return std::round(ratio * 1e6) / 1e6;
}

Json document(std::string_view command)
{
    return {
        {"schema", 1}, {"tool", "kernscope"}, {"version", KERNSCOPE_VERSION}, {"command", command}};
}

namespace {

/// A value's extents; null for one that the program leaves open.
Json dimsJson(const mil::ValueType &type)
{
    return listJson(type.dims, [&](const std::int64_t dim) {
        return dim < 0 ? Json(nullptr) : numberJson(static_cast<std::uint64_t>(dim));
    });
}

Json stridesJson(const std::vector<std::int64_t> &numbers)
{
    return listJson(numbers, [&](const std::int64_t number) {
        return number < 0 ? Json(nullptr) : numberJson(static_cast<std::uint64_t>(number));
    });
}

/// Of what is no array, such as an image, its words and no shape.
void addInputType(Json &row, const mil::ValueType &type)
{
    const bool array = type.isTensor() || type.kind == mil::ValueType::Kind::State;
    const bool words = !array && !type.text.empty();
    row["dtype"] = words ? type.text : elementTypeName(type.element);
    row["shape"] = words ? Json(nullptr) : dimsJson(type);
}

Json functionJson(const mil::Function &function, const std::string &segment)
{
    Json json{{"name", function.name},
              {"model", function.model},
              {"opset", function.opset},
              {"ops", mil::operationCount(function.body)},
              {"inputs", Json::array()}};
    for (const mil::NamedType &input : function.inputs) {
        Json row;
        row["name"] = input.name;
        addInputType(row, input.type);
        row["state"] = input.type.kind == mil::ValueType::Kind::State;
        if (!input.type.strides.empty())
            row["strides"] = stridesJson(input.type.strides);
        if (!input.type.interleave.empty())
            row["interleave_factors"] = stridesJson(input.type.interleave);
        json["inputs"].push_back(std::move(row));
    }
    json["outputs"] = function.body.outputs;
    json["output_types"] = Json::array();
    for (const std::string &output : function.body.outputs) {
        const mil::ValueType *type = outputType(function, output);
        json["output_types"].push_back(
            {{"name", output},
             {"dtype", type ? Json(elementTypeName(type->element)) : Json(nullptr)},
             {"shape", type ? dimsJson(*type) : Json(nullptr)}});
    }
    json["backend"] = segment.empty() ? Json(nullptr) : Json(segment);
    Json attributes = Json::object();
    for (const auto &[name, number] : mil::numberAttributes(function))
        attributes[name] = number;
    if (!attributes.empty())
        json["attributes"] = std::move(attributes);
    const auto operations = annotatedOperations(function, segment);
    if (!operations.empty())
        json["operations"] = jsonArray(annotatedOperationTable, operations);
    return json;
}

/// What a description says beside its features.
Json descriptionJson(const mil::ModelDescription &description)
{
    Json json;
    json["model"] = description.model;
    const std::string &byDefault = description.defaultFunction;
    json["default_function"] = byDefault.empty() ? Json(nullptr) : Json(byDefault);
    json["labels"] = description.labels;
    json["predicts"] = Json::array();
    for (const mil::FunctionDescription &function : description.functions) {
        if (!function.predictedFeature.empty())
            json["predicts"].push_back({{"function", function.name},
                                        {"feature", function.predictedFeature},
                                        {"probabilities", function.predictedProbabilities}});
    }
    json["metadata"] = Json::object();
    for (const auto &[key, value] : description.metadata)
        json["metadata"][key] = value;
    return json;
}

Json blobJson(const milblob::Record &record)
{
    return {{"meta_offset", numberJson(record.metaOffset.value)},
            {"dtype", elementTypeName(record.type)},
            {"code", record.code},
            {"bytes", numberJson(record.bytes.value)},
            {"data_offset", numberJson(record.dataOffset.value)},
            {"padding_bits", numberJson(record.paddingBits)},
            {"elements", numberJson(record.elements.value)}};
}

Json fileJson(const BundleFile &file)
{
    Json json{{"path", file.path},
              {"bytes", numberJson(file.file->size().value)},
              {"kind", sectionKindName(file.role)}};
    if (file.role != SectionKind::Data)
        return json;
    json["version"] = file.blobVersion;
    json["count"] = file.blobCount;
    json["blobs"] = Json::array();
    for (const milblob::Record &record :
         milblob::readBlobFile(file.file->bytes(), file.path).records)
        json["blobs"].push_back(blobJson(record));
    json["payload_bytes"] = numberJson(file.payloadBytes.value);
    json["unused_blobs"] = file.unusedRecords;
    return json;
}

Json bundleTotalsJson(const Bundle &bundle)
{
    const Totals &totals = bundle.totals();
    const bool known = weightsOfUnknownBytes(bundle) == 0;
    Json json{{"weights", totals.weights},
              {"stored_bytes", known ? numberJson(totals.storedBytes.value) : Json(nullptr)},
              {"dense_fp16_bytes", numberJson(totals.denseFp16Bytes.value)}};
    json["ratio"] =
        known && totals.denseFp16Bytes.value > 0 ? ratioJson(totals.ratio) : Json(nullptr);
    json["forms"] = Json::object();
    for (const auto &[form, count] : totals.forms)
        json["forms"][form] = count;
    return json;
}

} // namespace

const TableOf<Diagnostic> diagnosticTable(
    "diagnostics",
    {{"severity", "Error: something cannot be read. Warning: it can, with doubt.",
      CELL(Word{severityName(row.severity), Mark::None, {}, static_cast<int>(row.severity)})},
     {"code", "Stable name of the fault, the same on the command line", CELL(View(row.error.code))},
     {kWindow, "place", "File and offset; Enter goes there",
      [](auto &row) {
          const auto &offset = row.error.offset;
          return FilePlace(row.error.file, offset ? std::optional(offset->value) : std::nullopt);
      }},
     {kDocument, "file", "File that is meant", CELL(orNothing(row.error.file))},
     {kDocument, "offset", "First byte that is meant",
      CELL(row.error.offset ? Value(Hex(row.error.offset->value)) : Value(Unknown()))},
     {kDocument, "length", "Bytes that are meant",
      CELL(row.error.length ? Value(Count(row.error.length->value)) : Value(Absent()))},
     {kDocument | kWindow, "field", "Field or operand that is meant",
      CELL(orAbsent(row.error.field))},
     {kDocument | kWindow, "expected", "What should stand there", CELL(View(row.error.expected))},
     {kDocument | kWindow, "found", "What stands there", CELL(View(row.error.found))},
     {kDocument | kWindow, "message", "What is wrong",
      CELL(View(row.error.message.empty() ? row.error.code : row.error.message)),
      jsonOf(CELL(Json(row.error.message)))}},
    {}, {"severity", "code", "place", "field", "message"});

Json diagnosticJson(const Diagnostic &diagnostic)
{
    return jsonObject(diagnosticTable, diagnostic);
}

void finish(Json &document, const Diagnostics &diagnostics)
{
    for (const Diagnostic &diagnostic : diagnostics) {
        const char *list = diagnostic.severity == Severity::Error     ? "errors"
                           : diagnostic.severity == Severity::Warning ? "warnings"
                                                                      : nullptr;
        if (list && document.contains(list))
            document[list].push_back(describe(diagnostic.error));
    }
    document["diagnostics"] = jsonArray(diagnosticTable, diagnostics);
}

std::string documentText(const Json &document, int indent)
{
    return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string documentText(const Json &document, const LateLists &lists)
{
    std::string text;
    writeDocument(document, lists, [&text](std::string_view piece) { text += piece; });
    return text;
}

namespace {

class DocumentWriter
{
public:
    DocumentWriter(const LateLists &lists, const std::function<void(std::string_view)> &write)
        : m_lists(lists), m_write(write)
    {
    }

    void add(const Json &json, const std::string &place = {}, std::size_t depth = 0)
    {
        const auto lies = [&](const LateList &list) {
            return list.key.starts_with(place) &&
                   (place.empty() || list.key.substr(place.size()).starts_with('/'));
        };
        if (const LateList *list = findBy(m_lists, &LateList::key, place); list && list->count > 0)
            addRows(list->count, depth, [&](std::size_t i) { add(list->row(i), "-", depth + 1); });
        else if (json.empty() || !json.is_structured() || std::ranges::none_of(m_lists, lies))
            addPlain(json, depth);
        else if (json.is_array())
            addRows(json.size(), depth, [&](std::size_t i) {
                add(json[i], place + "/" + std::to_string(i), depth + 1);
            });
        else
            addMembers(json, place, depth);
    }
    void end() { m_write(std::exchange(m_text, {})); }

private:
    void line(std::string_view before, std::size_t depth)
    {
        m_text.append(before).append(1, '\n').append(depth, ' ');
    }

    void addPlain(const Json &json, std::size_t depth)
    {
        const std::string own = documentText(json);
        for (std::size_t at = 0, end = 0; at < own.size(); at = end) {
            end = std::min(own.find('\n', at), own.size() - 1) + 1;
            m_text.append(own, at, end - at).append(end < own.size() ? depth : 0, ' ');
        }
    }

    template <class Add>
    void addRows(std::size_t count, std::size_t depth, const Add &addRow)
    {
        constexpr std::size_t kFlush = 1 << 20;
        for (std::size_t i = 0; i < count; ++i) {
            line(i == 0 ? "[" : ",", depth + 1);
            addRow(i);
            if (m_text.size() >= kFlush)
                end();
        }
        line("", depth);
        m_text += "]";
    }

    void addMembers(const Json &json, const std::string &place, std::size_t depth)
    {
        std::string_view before = "{";
        for (const auto &[key, value] : json.items()) {
            line(std::exchange(before, ","), depth + 1);
            addPlain(key, 0);
            m_text += ": ";
            add(value, place.empty() ? key : place + "/" + key, depth + 1);
        }
        line("", depth);
        m_text += "}";
    }

    const LateLists &m_lists;
    const std::function<void(std::string_view)> &m_write;
    std::string m_text;
};

} // namespace

void writeDocument(const Json &document, const LateLists &lists,
                   const std::function<void(std::string_view)> &write)
{
    DocumentWriter writer(lists, write);
    writer.add(document);
    writer.end();
}

void addLists(Json &document, LateLists lists, LateLists *late)
{
    for (const LateList &list : lists) {
        Json &rows = document[std::string(list.key)] = Json::array();
        for (std::size_t i = 0; !late && i < list.count; ++i)
            rows.push_back(list.row(i));
    }
    if (late)
        *late = std::move(lists);
}

Json inspectJson(const Bundle &bundle, const std::vector<std::optional<Statistics>> &statistics,
                 const StatisticsOptions &asked, LateLists *late)
{
    Json json = document("inspect");
    json["kind"] = bundleKindName(bundle.kind());
    json["bundle"] = bundle.name();
    const auto program = bundle.program();
    json["program_version"] = program->version.empty() ? Json(nullptr) : Json(program->version);
    json["build_info"] = Json::object();
    for (const BuildFact &fact : buildFacts(bundle))
        json["build_info"][fact.key] = fact.value;
    json["functions"] = Json::array();
    const mil::SegmentBackends segments(*program);
    for (const mil::Function &function : program->functions)
        json["functions"].push_back(functionJson(function, segments.of(function)));
    json["models"] = jsonArray(modelTable, modelFacts(bundle));
    json["features"] = jsonArray(featureTable, featureFacts(bundle));
    json["descriptions"] = listJson(program->descriptions, descriptionJson);
    if (!bundle.readOnlyReason().empty())
        json["read_only"] = bundle.readOnlyReason();
    json["files"] = listJson(bundle.files(), fileJson);
    LateLists lists{
        {"sections", bundle.sections().size(),
         [&bundle](std::size_t i) {
             return jsonObject(sectionTable, SectionFacts{&bundle, &bundle.sections()[i]});
         }},
        {"weights", bundle.weights().size(),
         [&bundle, own = std::span(statistics), asked](std::size_t i) {
             return weightJson(bundle, i, i < own.size() ? own[i] : std::nullopt, asked);
         }}};
    addLists(json, std::move(lists), late);
    json["totals"] = bundleTotalsJson(bundle);
    json["warnings"] = Json::array();
    json["errors"] = Json::array();
    json["relocations"] =
        bundle.hardware() == nullptr
            ? Json::array()
            : hwxSlotsJson(*bundle.hardware(), bundle.files().front().file->bytes(),
                           bundle.files().front().path);
    return json;
}

Json selftestJson(const std::vector<SelftestStep> &steps)
{
    Json json = document("selftest");
    json["steps"] = listJson(steps, [&](const auto &step) -> Json {
        return {{"name", step.name}, {"passed", step.passed}, {"detail", step.detail}};
    });
    json["passed"] = std::ranges::all_of(steps, &SelftestStep::passed);
    return json;
}

} // namespace kernscope::report
