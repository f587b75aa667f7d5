// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/quantize_table.h"

#include "core/container/quantized/quantize.h"
#include "core/report/engine_json.h"
#include "core/report/json_table.h"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

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

} // namespace

const TableOf<Json> &quantizedFileTable()
{
    using Row = Json;
    static constexpr Column<Row> kColumns[] = {
        {"path", "file", "Path in the folder",
         [](const Json &row) -> Value { return row.value("path", std::string()); }},
        {"dtype", "type", "Type of its elements",
         [](const Json &row) -> Value { return row.value("dtype", std::string()); }},
        {kNumber, "bytes", "Length of the file in bytes",
         [](const Json &row) -> Value { return Count(row.value("bytes", std::uint64_t{0})); }},
    };
    static const TableOf<Row> kTable{"quantized_files", kColumns};
    return kTable;
}

const TableOf<codec::TquantTile> &quantizeTileTable()
{
    using Row = codec::TquantTile;
    static constexpr Column<Row> kColumns[] = {
        {"name", "tile", "Operand of the instruction", member<&Row::name>},
        {"dtype", "type", "Type of its elements", member<&Row::type>},
        {"shape", "Its rows and columns",
         [](const Row &row) -> Value { return shapeText(row.shape); },
         jsonOf([](const Row &row) { return Json(row.shape); })},
        {kNumber, "bytes", "Bytes of the tile", member<&Row::bytes, Count>},
        {kTerminal, "remark", "Whether it holds nothing of use afterwards; devices that need it",
         tileRemark},
        {kDocument, "scratch", "Holds nothing of use afterwards", member<&Row::scratch>},
        {kDocument, "devices", "The devices that need it, where not all do", nullptr,
         jsonOf([](const Row &row) {
             return row.name == "tmp" ? Json(devicesOf(row)) : Json(nullptr);
         })},
    };
    static const TableOf<Row> kTable{"quantize_tiles", kColumns};
    return kTable;
}

namespace {

void addInstruction(Json &document, const quantized::Quantized &made)
{
    document["instruction"] = Json::array();
    for (const format::TquantLine &line : made.lines)
        document["instruction"].push_back({{"kind", line.kind},
                                           {"name", line.name},
                                           {"text", line.text},
                                           {"source", line.source}});
    document["devices"] = Json::array();
    for (const format::TquantFact &fact : made.devices)
        document["devices"].push_back({{"device", fact.device},
                                       {"feature", fact.feature},
                                       {"value", fact.value},
                                       {"note", fact.note},
                                       {"source", fact.source},
                                       {"confidence", format::confidenceName(fact.confidence)}});
    document["contested"] = readingsJson(made.contested);
}

} // namespace

Json constraintsJson(const std::vector<codec::MxConstraint> &constraints)
{
    Json rows = Json::array();
    for (const codec::MxConstraint &rule : constraints) {
        Json row;
        row["name"] = rule.name;
        row["holds"] = rule.holds;
        row["padded"] = rule.padded;
        row["required"] = rule.required;
        row["found"] = rule.found;
        row["source"] = rule.source;
        rows.push_back(std::move(row));
    }
    return rows;
}

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
    json["tiles"] = jsonArray(quantizeTileTable(), made.tiles);
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
