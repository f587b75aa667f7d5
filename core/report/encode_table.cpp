// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/encode_table.h"

#include "core/base/find.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "core/report/engine_json.h"
#include "core/report/json_table.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

/// Three significant digits.
Value relativeValue(double error)
{
    return Real{error, 3, true};
}

/// The devices that need a tile which not all of them do.
std::string devicesOf(const codec::TquantTile &tile)
{
    return tile.name == "tmp" ? format::tquantDevicesWith("tmp", "needed") : std::string();
}

Value tileRemark(const codec::TquantTile &tile)
{
    const std::string devices = devicesOf(tile);
    std::string remark = tile.scratch ? "scratch" : "";
    if (!devices.empty())
        remark += (remark.empty() ? "" : ", ") + devices + " only";
    return remark;
}

/// Errors of the weight and of the products with it, both as estimated from its values.
Json accuracyJson(const codec::AccuracyError &error)
{
    return {{"weight_max_abs", error.weightMaxAbs},
            {"weight_rmse", error.weightRmse},
            {"weight_relative", error.weightRelative},
            {"output_max_abs", error.outputMaxAbs},
            {"output_rmse", error.outputRmse},
            {"output_relative", error.outputRelative},
            {"dense_relative", error.denseRelative},
            {"outputs", error.outputs},
            {"non_finite", error.nonFinite},
            {"contested", error.contested},
            {"estimate", true}};
}

void addEncodedWeight(Json &json, const Bundle &bundle, const EncodedBundle &encoded,
                      const EncodedOne &one, const std::string &output)
{
    const Weight &after = encoded.made->weights()[one.after];
    json["name"] = after.name;
    json["address"] = after.address();
    json["form"] = formText(after.form);
    json["asked"] = one.asked;
    json["before"] = weightJson(bundle, one.before, std::nullopt, {});
    json["after"] = weightJson(*encoded.made, one.after, std::nullopt, {});
    for (Json &part : json["after"]["parts"]) {
        if (!output.empty() && !part["file"].is_null())
            part["file"] = output;
    }
    json["error"] = accuracyJson(one.error);
    json["error"]["inputs_relative"] = optionalJson(one.inputRelative);
}

void addInstruction(Json &document, const quantized::Quantized &made)
{
    document["instruction"] = listJson(made.lines, [&](const auto &line) -> Json {
        return {
            {"kind", line.kind}, {"name", line.name}, {"text", line.text}, {"source", line.source}};
    });
    document["devices"] = listJson(made.devices, [&](const auto &fact) -> Json {
        return {{"device", fact.device}, {"feature", fact.feature},
                {"value", fact.value},   {"note", fact.note},
                {"source", fact.source}, {"confidence", format::confidenceName(fact.confidence)}};
    });
    document["contested"] = readingsJson(made.contested);
}

/// `[{"name","holds","padded","required","found","source"}]`
Json constraintsJson(const std::vector<codec::MxConstraint> &constraints)
{
    Json rows = Json::array();
    for (const codec::MxConstraint &rule : constraints) {
        rows.push_back({{"name", rule.name},
                        {"holds", rule.holds},
                        {"padded", rule.padded},
                        {"required", rule.required},
                        {"found", rule.found},
                        {"source", rule.source}});
    }
    return rows;
}

} // namespace

std::vector<EncodedSide> encodedSides(const Bundle &bundle, const EncodedBundle &encoded)
{
    const EncodedOne &one = encoded.weights.front();
    return {{"before", &bundle, &bundle.weights()[one.before]},
            {"after", encoded.made.get(), &encoded.made->weights()[one.after]}};
}

const TableOf<EncodedSide> encodedSideTable(
    "encoded_sides",
    {{"side", "Before or after", CELL(Word(row.name))},
     {"form", "How the weight is stored", CELL(formWords(row.weight->form)),
      jsonOf(CELL(Json(formText(row.weight->form))))},
     {kNumber, "stored_bytes", "stored", "Its stored bytes",
      CELL(Count(row.weight->storedBytes.value))},
     {kNumber, "ratio", "Stored bytes over those of dense fp16", CELL(Ratio(row.weight->ratio()))},
     {kNumber, "bundle_bytes", "bundle", "Bytes of the whole bundle",
      CELL(Count(row.bundle->totalBytes().value))}});

std::vector<EncodedFacts> encodedFacts(const Bundle &bundle, const EncodedBundle &encoded)
{
    return mapped(encoded.weights, [&](const EncodedOne &one) -> EncodedFacts {
        return {&bundle.weights()[one.before], &encoded.made->weights()[one.after], &one};
    });
}

const TableOf<EncodedFacts> encodedTable(
    "encoded",
    {{kName, "name", "weight", "The weight, by a name that finds it",
      CELL(row.after->findableName())},
     {"before", "How it was stored", CELL(formWords(row.before->form)),
      jsonOf(CELL(Json(formText(row.before->form))))},
     {kNumber, "stored_before", "stored", "Stored bytes before",
      CELL(Count(row.before->storedBytes.value))},
     {"after", "How it is stored now", CELL(formWords(row.after->form)),
      jsonOf(CELL(Json(formText(row.after->form))))},
     {kNumber, "stored_after", "stored", "Stored bytes now",
      CELL(Count(row.after->storedBytes.value))},
     {kNumber, "weight_relative", "weights", "Relative error of the weights",
      CELL(relativeValue(row.one->error.weightRelative))},
     {kNumber, "output_relative", "layer",
      "Relative error of the layer through the engine's reduction (estimate)",
      CELL(relativeValue(row.one->error.outputRelative))},
     {kNumber, "inputs_relative", "inputs",
      "Relative error by the statistics of the inputs (expected)",
      CELL(row.one->inputRelative ? relativeValue(*row.one->inputRelative) : Value(Unknown()))}});

std::string askedText(const EncodedBundle &encoded)
{
    std::vector<std::string> asked;
    for (const EncodedOne &one : encoded.weights) {
        if (std::ranges::find(asked, one.asked) == asked.end())
            asked.push_back(one.asked);
    }
    return fmt::format("{}", fmt::join(asked, "; "));
}

Json encodeJson(const Bundle &bundle, const EncodedBundle &encoded, codec::EncodeMethod method,
                std::string_view output, bool verified)
{
    Json json = document("encode");
    json["asked"] = askedText(encoded);
    json["method"] = codec::encodeMethodName(method);
    // A file of its own is called as it is written; those of a folder keep their paths.
    const auto nameOf = [](const std::filesystem::path &path) { return path.filename().string(); };
    const auto &files = encoded.made->files();
    const std::string own =
        files.size() == 1 && files.front().path == nameOf(bundle.path()) ? nameOf(output) : "";
    if (encoded.weights.size() == 1) // the weight that was asked for, as ever
        addEncodedWeight(json, bundle, encoded, encoded.weights.front(), own);
    json["weights"] = Json::array();
    for (const EncodedOne &one : encoded.weights)
        addEncodedWeight(json["weights"].emplace_back(), bundle, encoded, one, own);
    json["kept"] = listJson(encoded.kept, [&](const auto &kept) -> Json {
        return {{"weight", bundle.weights()[kept.weight].findableName()},
                {"why", kept.error.message}};
    });
    json["refused"] = listJson(encoded.refused, [&](const auto &refused) {
        return bundle.weights()[refused.weight].findableName();
    });
    json["bytes_before"] = bundle.totalBytes().value;
    json["bytes_after"] = encoded.made->totalBytes().value;
    json["output"] = output;
    Json opsets = listJson(encoded.raised, [&](const auto &raised) {
        return raisedJson(raised.before, raised.after, raised.changes);
    });
    json["opset"] = opsets.empty() ? Json(nullptr) : opsets.front();
    json["opsets"] = std::move(opsets);
    json["verified"] = verified;
    return json;
}

Json raisedJson(std::string_view before, std::string_view after,
                std::span<const OpsetChange> changes)
{
    Json opset{{"before", before}, {"after", after}};
    opset["changes"] = listJson(changes, [&](const auto &change) -> Json {
        return {{"operation", change.operation}, {"function", change.function},
                {"count", change.count},         {"opset", fmt::format("ios{}", change.opset)},
                {"change", change.change},       {"rewritten", change.rewritten}};
    });
    return opset;
}

const TableOf<HalfOperations> halfOperationTable(
    "half_operations",
    {{kName, "type", "operation", "Type of the operations", member<&HalfOperations::type>},
     {kNumber, "count", "How many there are", member<&HalfOperations::count, Count>},
     {"now", "The type that they calculate in now", CELL(Word(row.why.empty() ? "fp16" : "fp32"))},
     {"why", "Why they stay fp32", member<&HalfOperations::why>}});

std::vector<HalfFacts> halfFacts(const HalfBundle &converted)
{
    return mapped(converted.weights, [&](const HalfWeight &half) -> HalfFacts {
        return {&converted.made->weights()[half.after], &half};
    });
}

const TableOf<HalfFacts> halfWeightTable(
    "half_weights",
    {{kName, "name", "weight", "The weight, by a name that finds it",
      CELL(row.weight->findableName())},
     {kNumber, "elements", "Its elements", CELL(Count(row.half->counts.elements))},
     {kNumber, "stored_bytes", "stored", "Its stored bytes now",
      CELL(Count(row.weight->storedBytes.value))},
     {kNumber, "max_abs", "max |d|", "Largest absolute error",
      CELL(relativeValue(row.half->maxAbs))},
     {kNumber, "rmse", "Root mean square of the errors", CELL(relativeValue(row.half->rmse))},
     {kNumber, "relative", "Relative error", CELL(relativeValue(row.half->relative))},
     {kNumber, "infinite", "Finite values that became infinities",
      CELL(Count(row.half->counts.infinite))},
     {kNumber, "zeroed", "Values that became zero", CELL(Count(row.half->counts.zeroed))},
     {kNumber, "raised", "Values that became the smallest of fp16 in place of zero",
      CELL(Count(row.half->counts.raised))}});

Json convertJson(const Bundle &bundle, const HalfBundle &converted, std::string_view output,
                 bool verified)
{
    const HalvedNumbers &numbers = converted.numbers;
    Json json = document("convert");
    json["to"] = "fp16";
    json["weights"] = jsonArray(halfWeightTable, halfFacts(converted));
    json["kept"] = listJson(converted.kept,
                            [&](std::size_t at) { return bundle.weights()[at].findableName(); });
    json["operations"] = jsonArray(halfOperationTable, converted.operations);
    json["constants"] = {{"converted", converted.constants}, {"kept", converted.constantsKept},
                         {"numbers", numbers.elements},      {"infinite", numbers.infinite},
                         {"zeroed", numbers.zeroed},         {"raised", numbers.raised}};
    json["casts"] = {{"to_fp16", converted.castsIn}, {"to_fp32", converted.castsOut}};
    json["bytes_before"] = bundle.totalBytes().value;
    json["bytes_after"] = converted.made->totalBytes().value;
    json["output"] = output.empty() ? Json(nullptr) : Json(output);
    json["verified"] = verified;
    return json;
}

const TableOf<Json> quantizedFileTable(
    "quantized_files",
    {{"path", "file", "Path in the folder", CELL(row.value("path", std::string()))},
     {"dtype", "type", "Type of its elements", CELL(row.value("dtype", std::string()))},
     {kNumber, "bytes", "Length of the file in bytes",
      CELL(Count(row.value("bytes", std::uint64_t{0})))}});

const TableOf<codec::TquantTile> quantizeTileTable(
    "quantize_tiles",
    {{"name", "tile", "Operand of the instruction", member<&codec::TquantTile::name>},
     {"dtype", "type", "Type of its elements", member<&codec::TquantTile::type>},
     {"shape", "Its rows and columns", CELL(shapeText(row.shape)), jsonOf(CELL(Json(row.shape)))},
     {kNumber, "bytes", "Bytes of the tile", member<&codec::TquantTile::bytes, Count>},
     {kTerminal, "remark", "Whether it holds nothing of use afterwards; devices that need it",
      tileRemark},
     {kDocument, "scratch", "Holds nothing of use afterwards", member<&codec::TquantTile::scratch>},
     {kDocument, "devices", "The devices that need it, where not all do",
      CELL(row.name == "tmp" ? Json(devicesOf(row)) : Json(nullptr))}});

Json quantizeJson(const quantized::Quantized &made, std::string_view input, std::string_view output)
{
    const quantized::Description &matrix = made.folder.matrix;
    Json json = document("quantize");
    for (const auto &[key, value] : made.folder.manifest.items()) {
        if (key != "schema")
            json[key] = value;
    }
    json["input"] = input;
    json["output"] = output;
    json["bytes"] = made.bytes;
    json["ratio"] =
        static_cast<double>(made.bytes) / static_cast<double>(2 * matrix.rows * matrix.columns);
    json["constraints"] = constraintsJson(made.constraints);
    json["tiles"] = jsonArray(quantizeTileTable, made.tiles);
    addInstruction(json, made);
    return json;
}

Json relayoutJson(const quantized::Folder &before, const quantized::Relaid &after,
                  std::string_view input, std::string_view output)
{
    const auto layouts = [](const quantized::Description &matrix) {
        return Json{{"layout", matrix.layout}, {"exponent_layout", matrix.exponents}};
    };
    Json json = document("relayout");
    json["input"] = input;
    json["output"] = output;
    json["before"] = layouts(before.matrix);
    json["after"] = layouts(after.folder.matrix);
    json["files"] = after.folder.manifest["files"];
    json["constraints"] = constraintsJson(after.constraints);
    return json;
}

Json dequantizeJson(const quantized::Folder &folder, const DequantizedFile &written,
                    const std::optional<quantized::ErrorFigures> &figures)
{
    Json json = document("dequantize");
    json["folder"] = written.folder;
    json["format"] = folder.matrix.format;
    json["shape"] = folder.matrix.shape;
    json["dtype"] = elementTypeName(written.type);
    json["elements"] = written.elements;
    json["output"] = written.output;
    json["error"] = figures ? quantized::figuresJson(*figures) : Json();
    json["error_from"] = written.figuresFrom;
    return json;
}

} // namespace kernscope::report
