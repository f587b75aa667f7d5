// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/quantize_json.h"

#include "core/report/engine_json.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

Json tilesJson(const quantized::Quantized &made)
{
    Json rows = Json::array();
    for (const codec::TquantTile &tile : made.tiles) {
        Json row;
        row["name"] = tile.name;
        row["dtype"] = tile.type;
        row["shape"] = tile.shape;
        row["bytes"] = tile.bytes;
        row["scratch"] = tile.scratch;
        row["devices"] =
            tile.name == "tmp" ? Json(format::tquantDevicesWith("tmp", "needed")) : Json(nullptr);
        rows.push_back(std::move(row));
    }
    return rows;
}

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

void addQuantized(Json &document, const quantized::Quantized &made)
{
    const quantized::Description &matrix = made.folder.matrix;
    document["bytes"] = made.bytes;
    document["ratio"] =
        static_cast<double>(made.bytes) / static_cast<double>(2 * matrix.rows * matrix.columns);
    document["constraints"] = constraintsJson(made.constraints);
    document["tiles"] = tilesJson(made);
    addInstruction(document, made);
}

void addRelaid(Json &document, const quantized::Folder &before, const quantized::Relaid &after)
{
    const auto layouts = [](const quantized::Description &matrix) {
        return Json{{"layout", matrix.layout}, {"exponent_layout", matrix.exponents}};
    };
    document["before"] = layouts(before.matrix);
    document["after"] = layouts(after.folder.matrix);
    document["files"] = after.folder.manifest["files"];
    document["constraints"] = constraintsJson(after.constraints);
}

} // namespace kernscope::report
