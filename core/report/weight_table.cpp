// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/weight_table.h"

#include "core/assessment/coverage.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/report/json_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr std::size_t kNamedConsumers = 2;

std::string usedByText(const Weight &weight)
{
    std::string text;
    const std::size_t named = std::min(weight.consumers.size(), kNamedConsumers);
    for (std::size_t i = 0; i < named; ++i) {
        const Consumer &consumer = weight.consumers[i];
        text += fmt::format("{}{}.{}", i == 0 ? "" : ", ", consumer.op, consumer.param);
    }
    if (weight.consumers.size() > named)
        text += fmt::format(", {} more", weight.consumers.size() - named);
    return text;
}

Value backendValue(const WeightFacts &row)
{
    const auto &consumers = row.weight().consumers;
    if (consumers.empty() || consumers.front().backends.empty())
        return Absent();
    return orNothing(consumers.front().backends.selected);
}

Value ratioValue(const WeightFacts &row)
{
    const Weight &weight = row.weight();
    const bool known = knownStoredBytes(weight) && weight.denseFp16Bytes().value > 0;
    return known ? Value(Ratio{weight.ratio()}) : Value(Unknown());
}

Value zerosValue(const WeightFacts &row)
{
    if (!row.asked.figures)
        return Absent();
    if (row.statistics != nullptr && row.statistics->elements > 0)
        return Percent{row.statistics->zeroFraction()};
    return row.zeros ? Value(Percent{*row.zeros}) : Value(Unknown());
}

/// A figure of the finite values; there may be none.
Value figureValue(const WeightFacts &row, double Statistics::*figure)
{
    if (!row.asked.figures)
        return Absent();
    if (row.statistics == nullptr || row.statistics->finite() == 0)
        return Unknown();
    return Real{row.statistics->*figure, 5, true};
}

Value valueCount(const WeightFacts &row, std::uint64_t count)
{
    return row.asked.figures && row.statistics != nullptr ? Value(Count{count}) : Value(Absent());
}

Value hashValue(const WeightFacts &row)
{
    if (!row.asked.hash)
        return Absent();
    return row.statistics != nullptr ? Value(View(row.statistics->sha256)) : Value(Unknown());
}

/// No key where the values were not read.
Json ofRead(const WeightFacts &row, const Value &value)
{
    const bool said = row.statistics != nullptr && !std::holds_alternative<Absent>(value);
    return said ? json(value) : noKey();
}

Json operandJson(const Bundle &bundle, const codec::Operand &operand)
{
    const OperandPlace &place = *operand.place;
    Json json{{"role", codec::partRoleName(operand.role)},
              {"dtype", elementTypeName(operand.declaredType())},
              {"shape", numbersJson(operand.declaredShape())},
              {"bytes", numberJson(place.bytes.value)}};
    if (place.isLiteral()) {
        json["file"] = nullptr;
        return json;
    }
    json["file"] = bundle.files()[place.file].path;
    json["meta_offset"] = numberJson(place.metaOffset.value);
    json["data_offset"] = numberJson(place.dataOffset.value);
    json["shared"] = place.shared;
    if (!place.pieces.empty()) {
        json["pieces"] = place.pieces.size();
        json["extent"] = numberJson(place.range().bytes.value);
        json["copies"] = place.copies.size();
    }
    return json;
}

Json geometryJson(const ConsumerGeometry &geometry)
{
    Json json = Json::object();
    if (!geometry.strides.empty())
        json["strides"] = numbersJson(geometry.strides);
    if (!geometry.dilations.empty())
        json["dilations"] = numbersJson(geometry.dilations);
    if (!geometry.pads.empty())
        json["pads"] = numbersJson(geometry.pads);
    if (!geometry.padType.empty())
        json["pad_type"] = geometry.padType;
    json["groups"] = numberJson(geometry.groups);
    if (geometry.transposeX)
        json["transpose_x"] = true;
    if (geometry.transposeY)
        json["transpose_y"] = true;
    json["input"] = geometry.input ? numbersJson(*geometry.input) : Json(nullptr);
    json["output"] = geometry.output ? numbersJson(*geometry.output) : Json(nullptr);
    json["inside_loop"] = geometry.insideLoop;
    return json;
}

Json consumerJson(const Consumer &consumer)
{
    Json json;
    json["op"] = consumer.op;
    json["name"] = consumer.name;
    json["param"] = consumer.param;
    json["via"] = consumer.via;
    json["flops"] = consumer.flops ? numberJson(*consumer.flops) : Json(nullptr);
    json["layer_flops"] = consumer.layerFlops ? numberJson(*consumer.layerFlops) : Json(nullptr);
    json["geometry"] = geometryJson(consumer.geometry);
    if (!consumer.backends.empty())
        addBackends(json, consumer.backends);
    return json;
}

/// Figures of its storage form, by key.
Json detailJson(const Weight &weight)
{
    Json json = Json::object();
    for (const auto &[key, value] : weight.detail) {
        json[key] = std::visit(
            [](const auto &held) -> Json {
                using Held = std::decay_t<decltype(held)>;
                if constexpr (std::is_same_v<Held, std::uint64_t>)
                    return numberJson(held);
                else if constexpr (std::is_same_v<Held, std::string>)
                    return held;
                else
                    return numbersJson(held);
            },
            value);
    }
    return json;
}

} // namespace

std::string functionWords(const Weight &weight)
{
    const bool both = !weight.model.empty() && !weight.function.empty();
    return weight.model + (both ? "/" : "") + weight.function;
}

bool severalFunctions(const Bundle &bundle)
{
    const auto &weights = bundle.weights();
    return std::ranges::any_of(weights, [&weights](const Weight &weight) {
        return weight.function != weights.front().function || weight.model != weights.front().model;
    });
}

std::vector<WeightFacts> weightRows(const Bundle &bundle,
                                    const std::vector<std::optional<Statistics>> &statistics,
                                    const StatisticsOptions &asked,
                                    const std::vector<bool> &selected)
{
    std::vector<WeightFacts> rows;
    const bool several = severalFunctions(bundle);
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (!selected.empty() && !selected[i])
            continue;
        const bool read = i < statistics.size() && statistics[i];
        rows.push_back({&bundle, i, read ? &*statistics[i] : nullptr, asked, {}, several});
    }
    return rows;
}

const Weight &WeightFacts::weight() const
{
    return bundle->weights()[index];
}

const TableOf<WeightFacts> weightTable(
    "weights",
    {{kDocument | kTerminal, "function", "Function of the program that holds the weight",
      CELL(row.severalFunctions ? Value(functionWords(row.weight())) : Value(Absent())),
      jsonOf(CELL(Json(row.weight().function)))},
     {kName | kDocument | kWindow, "name", "Name of the value that the consumer reads",
      CELL(View(row.weight().name))},
     // The window has an icon for it.
     {kName | kTerminal, "marked_name", "name",
      "Name of the value that the consumer reads; ! where it cannot be decoded",
      CELL(row.weight().fault ? Value("! " + row.weight().name) : Value(View(row.weight().name)))},
     {kDocument, "op_name", "Name of the operation that makes it",
      CELL(View(row.weight().opName()))},
     {kDocument, "model", "Model of a pipeline that holds the weight",
      CELL(View(row.weight().model))},
     {kDocument, "address", "By which the weight is found among those of the same name",
      CELL(row.weight().address())},
     {kDocument, "source_op", "Kind of the operation that makes it",
      CELL(View(row.weight().sourceOp))},
     {kName, "form", "How the weight is stored", CELL(formWords(row.weight().form)),
      jsonOf(CELL(Json(formText(row.weight().form))))},
     {kDocument | kTerminal, "dtype", "type", "Type of the decoded elements",
      CELL(elementTypeName(row.weight().type))},
     {"shape", "Extents of the decoded tensor, outermost first; sorts by the number of elements",
      CELL(shapeText(row.weight().shape)), jsonOf(CELL(numbersJson(row.weight().shape))),
      sortedBy(CELL(SortValue(row.weight().elements.value)))},
     {kNumber | kDocument, "elements", "Elements of the decoded tensor",
      CELL(Count(row.weight().elements.value))},
     {kDocument, "parts", "Operands that it is stored as, and where",
      [](auto &row) {
          return listJson(row.weight().operands(),
                          [&](const auto &operand) { return operandJson(*row.bundle, operand); });
      }},
     {kNumber, "stored_bytes", "stored",
      "Bytes that the weight takes in the file, a part that is used twice counted once",
      CELL(known(knownStoredBytes(row.weight()))), withUnit("B"), unknownAs("unknown")},
     {kNumber | kDocument | kWindow, "bits_per_weight", "bits a weight",
      "Stored bits over elements",
      [](const WeightFacts &row) -> Value {
          const auto stored = knownStoredBytes(row.weight());
          const std::uint64_t elements = row.weight().elements.value;
          return stored && elements > 0 ? Value(Real(8 * static_cast<double>(stored->value) /
                                                         static_cast<double>(elements),
                                                     2))
                                        : Value(Unknown());
      }},
     {kNumber | kDocument, "dense_fp16_bytes", "Bytes that it would take as dense fp16",
      CELL(Count(row.weight().denseFp16Bytes().value)), withUnit("B")},
     {kNumber, "ratio", "Stored bytes over the bytes of dense fp16", ratioValue},
     {kName | kTerminal, "used_by", "used by", "Operations that read it, with the parameter",
      CELL(usedByText(row.weight()))},
     {kTerminal, "runs_on", "runs on", "Where the compiler runs its first consumer", backendValue},
     {kDocument, "detail", "Figures of its storage form", CELL(detailJson(row.weight()))},
     {kDocument, "consumers", "Operations that read it, with their geometry",
      CELL(listJson(row.weight().consumers, consumerJson))},
     {kDocument, "fault", "Why it cannot be decoded",
      [](auto &row) {
          const auto &fault = row.weight().fault;
          return fault ? diagnosticJson({Severity::Error, *fault}) : noKey();
      }},
     {kNumber, "zero_fraction", "zeros",
      "Share of decoded elements that are zero; a dash where the weight has not been read yet",
      zerosValue, jsonOf(CELL(ofRead(row, zerosValue(row))))},
     {kNumber | kDocument | kTerminal, "min", "Smallest finite value",
      CELL(figureValue(row, &Statistics::min)),
      jsonOf(CELL(ofRead(row, figureValue(row, &Statistics::min))))},
     {kNumber | kDocument | kTerminal, "max", "Largest finite value",
      CELL(figureValue(row, &Statistics::max)),
      jsonOf(CELL(ofRead(row, figureValue(row, &Statistics::max))))},
     {kNumber | kDocument | kTerminal, "mean", "Mean of the finite values",
      CELL(figureValue(row, &Statistics::mean)),
      jsonOf(CELL(ofRead(row, figureValue(row, &Statistics::mean))))},
     {kNumber | kDocument, "std", "Standard deviation of the finite values",
      CELL(ofRead(row, figureValue(row, &Statistics::standardDeviation)))},
     {kNumber | kTerminal, "not_finite", "not finite", "Values that are infinite or not numbers",
      [](auto &row) -> Value {
          if (!row.asked.figures || row.statistics != nullptr)
              return valueCount(row,
                                row.statistics ? row.statistics->nan + row.statistics->inf : 0);
          return Unknown();
      }},
     {kNumber | kDocument, "nan", "Values that are not numbers",
      CELL(ofRead(row, valueCount(row, row.statistics ? row.statistics->nan : 0)))},
     {kNumber | kDocument, "inf", "Values that are infinite",
      CELL(ofRead(row, valueCount(row, row.statistics ? row.statistics->inf : 0)))},
     {kWindow, "why_dense", "why dense", "Why a dense weight may have been left as it is",
      CELL(orNothing(whyDense(*row.bundle, row.index, row.compressed)))},
     {kDocument | kTerminal, "sha256", "SHA-256 of the weight decoded as fp16", hashValue,
      jsonOf(CELL(ofRead(row, hashValue(row))))}},
    {"name",      "op_name",       "function", "model",     "address",
     "source_op", "form",          "shape",    "dtype",     "elements",
     "parts",     "stored_bytes",  "detail",   "consumers", "dense_fp16_bytes",
     "ratio",     "zero_fraction", "min",      "max",       "mean",
     "std",       "nan",           "inf",      "sha256",    "fault"},
    {"name"});

void addBackends(Json &json, const mil::BackendNotes &notes)
{
    json["selected_backend"] = notes.selected.empty() ? Json(nullptr) : Json(notes.selected);
    json["backend_support"] = notes.supported;
    json["estimated_runtime_ms"] = Json::object();
    for (const auto &[backend, ms] : notes.estimatedMs)
        json["estimated_runtime_ms"][backend] = ms;
    if (notes.messages.empty())
        return;
    json["validation_message"] = Json::object();
    for (const auto &[backend, message] : notes.messages)
        json["validation_message"][backend] = message;
}

Json weightJson(const Bundle &bundle, std::size_t weight,
                const std::optional<Statistics> &statistics, const StatisticsOptions &asked)
{
    WeightFacts row;
    row.bundle = &bundle;
    row.index = weight;
    row.statistics = statistics ? &*statistics : nullptr;
    row.asked = asked;
    return jsonObject(weightTable, row);
}

} // namespace kernscope::report
