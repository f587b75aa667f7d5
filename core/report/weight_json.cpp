// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/weight_parts.h"
#include "core/report/weight_table.h"

#include <type_traits>

namespace kernscope::report {

namespace {

Json operandJson(const Bundle &bundle, const codec::Operand &operand)
{
    const OperandPlace &place = *operand.place;
    Json json;
    json["role"] = codec::partRoleName(operand.role);
    json["dtype"] = elementTypeName(operand.declaredType());
    json["shape"] = numbersJson(operand.declaredShape());
    json["bytes"] = numberJson(place.bytes.value);
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

} // namespace

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

namespace {

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

} // namespace

Json partsJson(const Bundle &bundle, const Weight &weight)
{
    Json list = Json::array();
    for (const codec::Operand &operand : weight.operands())
        list.push_back(operandJson(bundle, operand));
    return list;
}

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

Json consumersJson(const Weight &weight)
{
    Json list = Json::array();
    for (const Consumer &consumer : weight.consumers)
        list.push_back(consumerJson(consumer));
    return list;
}

Json weightJson(const Bundle &bundle, std::size_t weight,
                const std::optional<Statistics> &statistics, const StatisticsOptions &asked)
{
    WeightFacts row;
    row.bundle = &bundle;
    row.index = weight;
    row.statistics = statistics ? &*statistics : nullptr;
    row.asked = asked;
    return jsonObject(weightTable(), row);
}

} // namespace kernscope::report
