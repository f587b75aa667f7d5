// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/engine_json.h"

#include "core/assessment/geometry.h"
#include "core/format/kernel_format.h"
#include "core/report/collective_table.h"
#include "core/report/image_table.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/target/hal.h"
#include "core/target/rules.h"

#include <array>
#include <string>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using descriptor::FormatLane;

constexpr std::array<FormatLane, 3> kLanes{FormatLane::Source1, FormatLane::Source2,
                                           FormatLane::Output};

std::string hex(std::uint64_t value)
{
    return fmt::format("{:#x}", value);
}

Json hexJson(const std::optional<std::uint32_t> &value)
{
    return value ? Json(hex(*value)) : Json(nullptr);
}

} // namespace

Json readingsJson(std::span<const format::Reading> readings)
{
    Json list = Json::array();
    for (const format::Reading &reading : readings)
        list.push_back({{"topic", reading.topic},
                        {"subject", reading.subject},
                        {"reading", reading.text},
                        {"taken", reading.taken},
                        {"source", reading.source},
                        {"confidence", format::confidenceName(reading.confidence)},
                        {"note", reading.note}});
    return list;
}

HalShown halShown(const target::Target &target, const target::HalField &field)
{
    HalShown shown;
    shown.source = field.source;
    shown.confidence = field.confidence;
    if (const auto *value = target::halValue(target, field.layout, field.offset)) {
        shown.text = value->text;
        shown.number = value->number;
        shown.scope = value->scope;
        shown.source = value->source;
        shown.confidence = value->confidence;
        return shown;
    }
    const bool counts =
        field.layout == target::HalLayout::Chapters && field.offset == target::hal::kCores;
    if (!counts || !target.cores)
        return shown;
    shown.number = *target.cores;
    shown.text = std::to_string(*target.cores);
    shown.scope = target.name;
    shown.source = target.source;
    if (target::isContested(target, "cores"))
        shown.confidence = format::Confidence::Contested;
    return shown;
}

Json collectiveJson(const target::Target &target)
{
    Json json;
    json["operations"] = jsonArray(collectiveOperationTable(), decision::collectiveOps());
    json["reduction_kinds"] = Json::object();
    for (const decision::ReductionToken &token : decision::reductionTokens())
        json["reduction_kinds"][token.token] = token.kind;
    json["atomics"] = Json::array();
    for (const decision::AtomicRow &row : decision::atomicRows())
        json["atomics"].push_back(
            {{"reduction_type", row.reduction}, {"operation", optionalJson(row.operation)}});
    json["bytes"] = jsonArray(collectiveByteTable(), collectiveByteRows(target));
    json["gates"] = jsonArray(collectiveGateTable(), decision::collectiveGates(target));
    json["setters"] = jsonArray(ccdmaSetterTable(), decision::ccdmaSetters());
    json["notes"] = jsonArray(collectiveNoteTable(), decision::collectiveNotes());
    return json;
}

Json imageJson()
{
    Json json;
    json["version"] = 10;
    json["note"] = descriptor::imageV10Note();
    json["groups"] = jsonArray(imageGroupTable(), descriptor::imageGroups());
    json["streams"] = jsonArray(imageStreamTable(), imageStreamRows());
    json["fields"] = jsonArray(imageFieldTable(), descriptor::imageFields());
    return json;
}

std::vector<LaneCode> laneCodes(std::uint32_t version)
{
    std::vector<LaneCode> codes;
    for (const FormatLane lane : kLanes) {
        for (const format::CatalogueRow &row : format::tensorFormats()) {
            LaneCode code;
            code.code = row.code;
            code.name = row.name;
            code.lane = lane;
            const auto bits =
                descriptor::encodeFormatLane(version, lane, format::TensorFormat(row.code));
            if (bits)
                code.bits = *bits;
            else
                code.refusal =
                    *descriptor::laneRefusal(version, lane, format::TensorFormat(row.code));
            for (const format::Reading &reading : format::readingsOf(
                     descriptor::contestedCode(version, format::TensorFormat(row.code)))) {
                if (!reading.taken)
                    code.contested = reading.text;
            }
            codes.push_back(std::move(code));
        }
    }
    return codes;
}

Json contestedCodesJson(std::uint32_t version)
{
    constexpr format::TensorFormat kInt8(1);
    return readingsJson(format::readingsOf(descriptor::contestedCode(version, kInt8)));
}

Json formatWordJson(std::uint32_t version)
{
    const descriptor::FormatWordLayout layout = descriptor::formatWordLayout(version);
    Json json;
    json["version"] = version;
    json["offset"] = hex(layout.offset);
    json["lane_bits"] = layout.laneBits;
    json["e4m3"] = layout.hasE4m3;
    json["lanes"] = Json::array();
    for (const FormatLane lane : kLanes) {
        Json row;
        row["lane"] = descriptor::formatLaneName(lane);
        row["bits"] = {layout.low(lane) + layout.laneBits - 1, layout.low(lane)};
        row["formats"] = Json::array();
        for (const LaneCode &code : laneCodes(version)) {
            if (code.lane == lane)
                row["formats"].push_back(jsonObject(laneCodeTable(), code));
        }
        json["lanes"].push_back(std::move(row));
    }
    json["overflow"] = Json::array();
    for (const FormatLane lane : {FormatLane::Source1, FormatLane::Source2}) {
        const auto &place =
            lane == FormatLane::Source1 ? layout.overflowSource1 : layout.overflowSource2;
        const auto bit = descriptor::encodeOverflow(version, lane, true);
        json["overflow"].push_back({{"lane", descriptor::formatLaneName(lane)},
                                    {"offset", hexJson(place)},
                                    {"saturate", bit ? Json(hex(*bit)) : Json(nullptr)},
                                    {"nan", place ? Json("0x0") : Json(nullptr)},
                                    {"message", bit ? Json(nullptr) : Json(bit.error().message)}});
    }
    json["contested"] = contestedCodesJson(version);
    json["source"] = "chapter 36, table 36.3";
    return json;
}

std::vector<DoubleMacPair> doubleMacPairs()
{
    std::vector<DoubleMacPair> pairs;
    for (const char *activation : {"int8", "uint8", "e4m3", "fp16"}) {
        for (const char *kernel : {"int8", "uint8", "e4m3", "fp16"}) {
            const auto *of = format::findKernelFormat(kernel);
            std::uint32_t tensor = 0;
            for (const format::CatalogueRow &row : format::tensorFormats()) {
                if (row.name == activation)
                    tensor = row.code;
            }
            pairs.push_back({activation, kernel,
                             of != nullptr && decision::isDoubleMac(of->format.value, tensor)});
        }
    }
    return pairs;
}

Json foldPredicateJson()
{
    Json list = Json::array();
    for (std::uint32_t code = 0; code <= 16; ++code) {
        const auto *row = format::find(format::TensorFormat(code));
        list.push_back({{"code", code},
                        {"name", row != nullptr ? Json(row->name) : Json(nullptr)},
                        {"folds", format::isDmaConvertibleToFp16(format::TensorFormat(code))}});
    }
    return list;
}

} // namespace kernscope::report
