// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/engine_json.h"

#include "core/assessment/geometry.h"
#include "core/format/kernel_format.h"
#include "core/report/collective_table.h"
#include "core/report/fact_values.h"
#include "core/report/json_table.h"

namespace kernscope::report {

namespace {

using descriptor::FormatLane;

std::string hex(std::uint64_t value)
{
    return fmt::format("{:#x}", value);
}

using descriptor::ImageField;
using descriptor::ImageGroup;

/// "0x40"; in JSON the same text, null where it is not known.
Value addressOf(const std::optional<std::uint32_t> &address)
{
    return address ? Value(hexText(*address)) : Value(Unknown());
}

/// Readings of the integers' codes in the format word of a version; empty where none disagree.
Json contestedCodesJson(std::uint32_t version)
{
    constexpr format::TensorFormat kInt8(1);
    return readingsJson(format::readingsOf(descriptor::contestedCode(version, kInt8)));
}

/// Tables 20.7, 20.8, 25.4 and the ordering bits, of the version-10 image.
Json imageJson()
{
    return {{"version", 10},
            {"note", descriptor::imageV10Note()},
            {"groups", jsonArray(imageGroupTable, descriptor::imageGroups())},
            {"streams", jsonArray(imageStreamTable, imageStreamRows())},
            {"fields", jsonArray(imageFieldTable, descriptor::imageFields())}};
}

} // namespace

Json readingsJson(std::span<const format::Reading> readings)
{
    return listJson(readings, [&](const auto &reading) -> Json {
        return {
            {"topic", reading.topic},   {"subject", reading.subject},
            {"reading", reading.text},  {"taken", reading.taken},
            {"source", reading.source}, {"confidence", format::confidenceName(reading.confidence)},
            {"note", reading.note}};
    });
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
    Json json{{"operations", jsonArray(collectiveOperationTable, decision::collectiveOps())},
              {"reduction_kinds", Json::object()}};
    for (const decision::ReductionToken &token : decision::reductionTokens())
        json["reduction_kinds"][token.token] = token.kind;
    json["atomics"] = listJson(decision::atomicRows(), [&](const auto &row) -> Json {
        return {{"reduction_type", row.reduction}, {"operation", optionalJson(row.operation)}};
    });
    json["bytes"] = jsonArray(collectiveByteTable, collectiveByteRows(target));
    json["gates"] = jsonArray(collectiveGateTable, decision::collectiveGates(target));
    json["setters"] = jsonArray(ccdmaSetterTable, decision::ccdmaSetters());
    json["notes"] = jsonArray(collectiveNoteTable, decision::collectiveNotes());
    return json;
}

std::vector<LaneCode> laneCodes(std::uint32_t version)
{
    std::vector<LaneCode> codes;
    for (const FormatLane lane : kFormatLanes) {
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

Json formatWordJson(std::uint32_t version)
{
    const descriptor::FormatWordLayout layout = descriptor::formatWordLayout(version);
    Json json{{"version", version},
              {"offset", hex(layout.offset)},
              {"lane_bits", layout.laneBits},
              {"e4m3", layout.hasE4m3},
              {"lanes", Json::array()}};
    for (const FormatLane lane : kFormatLanes) {
        Json row{{"lane", descriptor::formatLaneName(lane)},
                 {"bits", {layout.low(lane) + layout.laneBits - 1, layout.low(lane)}},
                 {"formats", Json::array()}};
        for (const LaneCode &code : laneCodes(version)) {
            if (code.lane == lane)
                row["formats"].push_back(jsonObject(laneCodeTable, code));
        }
        json["lanes"].push_back(std::move(row));
    }
    json["overflow"] = Json::array();
    for (const FormatLane lane : {FormatLane::Source1, FormatLane::Source2}) {
        const auto &place =
            lane == FormatLane::Source1 ? layout.overflowSource1 : layout.overflowSource2;
        const auto bit = descriptor::encodeOverflow(version, lane, true);
        json["overflow"].push_back({{"lane", descriptor::formatLaneName(lane)},
                                    {"offset", place ? Json(hex(*place)) : Json(nullptr)},
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

const TableOf<ImageGroup> imageGroupTable(
    "register-groups",
    {{"id", "group", "Number of the register group", member<&ImageGroup::id>},
     {"name", "What the group programs", member<&ImageGroup::name>},
     {kNumber, "registers", "How many registers it has", member<&ImageGroup::registers, Code>},
     {"base", "Byte address of its first register", CELL(addressOf(row.base))},
     {"struct_offset", "object", "Offset in the compiler's object",
      CELL('+' + hexText(row.structOffset)), jsonOf(CELL(Json(hexText(row.structOffset))))},
     {kDocument, "image_offset", "Offset in the image that the engine reads",
      CELL(hexText(row.imageOffset))},
     {"contents", "What the registers hold", member<&ImageGroup::contents>},
     {kDocument, "reading", "Its meaning by the register maps", member<&ImageGroup::reading>},
     {"confidence", "How sure it is", CELL(Word(format::confidenceName(row.confidence)))},
     {kDocument, "source", "Where it is from",
      [](auto &) { return View("chapter 20, table 20.7"); }}});

const TableOf<ImageField> imageFieldTable(
    "image-fields",
    {{kDocument, "record", "Kind of row: a field, a relocation or a stream register",
      member<&ImageField::record>},
     {"group", "Register group that it is in", CELL(orNothing(row.group))},
     {"name", "field", "Name of the field or register", member<&ImageField::name>},
     {"struct_offset", "object", "Offset in the compiler's object",
      CELL(addressOf(row.structOffset))},
     {"register", "word", "Word address of the register", CELL(addressOf(row.wordAddress))},
     {kDocument, "byte_address", "Byte address of the register", CELL(addressOf(row.byteAddress))},
     {"bits", "Bits of the register", member<&ImageField::bits>},
     {"contents", "What it holds", member<&ImageField::contents>},
     {"source", "Where it is from", member<&ImageField::source>},
     {kDocument, "confidence", "How sure it is",
      CELL(Word(format::confidenceName(row.confidence)))}});

std::vector<ImageField> imageFieldsOf(std::string_view record)
{
    std::vector<ImageField> fields(descriptor::imageFields().begin(),
                                   descriptor::imageFields().end());
    std::erase_if(fields, [record](const ImageField &field) { return field.record != record; });
    return fields;
}

const TableOf<ImageField> relocationRegisterTable(
    "relocation-registers",
    {{"name", "relocation", "Name of the relocation", member<&ImageField::name>},
     {"register", "Word address of the register that it fills in",
      CELL(addressOf(row.wordAddress))},
     {"contents", "role", "What the address is of", member<&ImageField::contents>}});

std::vector<ImageStreamFacts> imageStreamRows()
{
    std::vector<ImageStreamFacts> rows;
    const auto relocations = imageFieldsOf("reloc");
    for (const descriptor::ImageStream &stream : descriptor::imageStreams()) {
        ImageStreamFacts row{stream, {}};
        for (const ImageField &field : relocations) {
            if (field.wordAddress == stream.relocation)
                row.role = field.contents;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<ImageStreamFacts> imageStreamTable(
    "image-streams",
    {{"name", "stream", "What the stream loads", CELL(View(row.stream.name))},
     {"enable", "Byte address of the register that enables it", CELL(hexText(row.stream.enable))},
     {"base_offset", "base offset", "Byte address of the register of its offset",
      CELL(hexText(row.stream.baseOffset))},
     {"relocation", "Word address of its relocation register",
      CELL(hexText(row.stream.relocation))},
     {kTables, "role", "What that relocation is for", member<&ImageStreamFacts::role>},
     {kDocument, "source", "Where the registers are from",
      [](auto &) { return View("tables 20.8 and 25.4"); }}});

const TableOf<LaneCode> laneCodeTable(
    "format-lanes",
    {{kTables, "lane", "Lane of the format word", CELL(View(descriptor::formatLaneName(row.lane)))},
     {"format", "Tensor format", member<&LaneCode::name>},
     {"value", "bits", "Its bits in the format word",
      CELL(row.bits ? Value(hexText(*row.bits, 3)) : Value(Unknown())), unknownAs("none"),
      jsonOf(CELL(row.bits ? Json(hexText(*row.bits)) : Json(nullptr)))},
     {"message", "why it has none",
      "Why the lane has no bits for it; in quotation marks the compiler's words",
      CELL(row.refusal.quoted ? Value('"' + row.refusal.text + '"') : orNothing(row.refusal.text)),
      jsonOf(CELL(row.bits ? Json(nullptr) : Json(row.refusal.text))),
      originOf(CELL(row.refusal.source))},
     {kDocument, "quoted", "Whether that is the compiler's own text, as the source quotes it",
      CELL(row.bits ? noKey() : Json(row.refusal.quoted))},
     {"contested", "What another source has", CELL(orNothing(row.contested))},
     {kDocument, "source", "Where the bits or the rule are from",
      CELL(row.bits ? View("chapter 36, table 36.3") : View(row.refusal.source))}});

const TableOf<format::WeightElementRole> elementRoleTable(
    "element_roles",
    {{"name", "type", "Element type, as the numberings have it",
      member<&format::WeightElementRole::name>},
     {"width", "Bits of an element", member<&format::WeightElementRole::width>},
     {"role", "role in a weight", "What it is for in a weight",
      member<&format::WeightElementRole::role>},
     {"source", "Where it is documented", member<&format::WeightElementRole::source>},
     {"confidence", "How well it is known", CELL(confidenceValue(row.confidence))}});

const TableOf<format::Fp8Format> fp8FormatTable(
    "fp8-formats",
    {{"name", "format", "fp8 format", member<&format::Fp8Format::name>},
     {kNumber, "sign_bits", "sign", "Bits of the sign", member<&format::Fp8Format::sign, Code>},
     {kNumber, "exponent_bits", "exponent", "Bits of the exponent",
      member<&format::Fp8Format::exponent, Code>},
     {kNumber, "mantissa_bits", "mantissa", "Bits of the mantissa",
      member<&format::Fp8Format::mantissa, Code>},
     {kNumber, "bias", "Bias of the exponent", member<&format::Fp8Format::bias, Code>},
     {kNumber, "max_finite", "largest", "Largest finite number",
      member<&format::Fp8Format::largest, Code>},
     {"role", "What the compiler uses it for", member<&format::Fp8Format::role>},
     {"gate", "What enables it", member<&format::Fp8Format::gate>},
     {"registers", "register", "Its code in the format word",
      member<&format::Fp8Format::registers>},
     {"on_m5", "on the M5", "State on the M5", member<&format::Fp8Format::onM5>},
     {kDocument | kWindow, "source", "Where it is documented", member<&format::Fp8Format::source>},
     {kDocument | kWindow, "confidence", "How well it is known",
      CELL(confidenceValue(row.confidence))}});

const TableOf<format::EngineNote> engineNoteTable(
    "engine-notes",
    {{kDocument | kWindow, "topic", "What part of the engine it is about",
      member<&format::EngineNote::topic>},
     {"what", "about", "What it is about", member<&format::EngineNote::what>},
     {"text", "what is known", "In quotation marks the compiler's own text, as its source has it",
      CELL(row.quoted ? '"' + row.text + '"' : row.text), jsonOf(CELL(Json(row.text)))},
     {kDocument, "quoted", "Whether it is the compiler's own text",
      member<&format::EngineNote::quoted>},
     {"source", "Where it is documented", member<&format::EngineNote::source>},
     {kDocument | kWindow, "confidence", "How well it is known",
      CELL(confidenceValue(row.confidence))}});

const TableOf<DoubleMacPair> doubleMacTable(
    "double-multiply",
    {{"activation", "Type of the activations", member<&DoubleMacPair::activation>},
     {"kernel", "Type of the weights", member<&DoubleMacPair::kernel>},
     {"eligible", "double multiply", "Whether the array multiplies two pairs at a time",
      CELL(Word(row.eligible ? "eligible" : "no")), jsonOf(CELL(Json(row.eligible)))},
     {kDocument, "source", "Where the rule is from",
      [](auto &) { return View("chapter 36, fp8 datapath"); }}});

void addEncodedWord(Json &answer, std::uint32_t version, std::uint32_t word,
                    const std::vector<std::string> &formats,
                    const std::vector<OverflowChoice> &overflow)
{
    Json json{{"value", hexText(word)}, {"formats", formats}, {"overflow", Json::object()}};
    for (const OverflowChoice &each : overflow)
        json["overflow"][each.lane] = {{"mode", each.saturates ? "saturate" : "nan"},
                                       {"offset", hexText(each.offset)},
                                       {"bits", hexText(each.bits)}};
    json["contested"] = contestedCodesJson(version);
    answer["word"] = std::move(json);
}

void addDecodedWord(Json &answer, std::uint32_t version, std::uint32_t word)
{
    Json lanes = Json::object();
    for (const descriptor::FormatLane lane : kFormatLanes)
        lanes[std::string(descriptor::formatLaneName(lane))] =
            descriptor::decodeFormatLane(version, lane, word);
    answer["word"] = {{"value", hexText(word)},
                      {"lanes", std::move(lanes)},
                      {"contested", contestedCodesJson(version)}};
}

void addOrdering(Json &answer, const descriptor::OrderingBits &bits)
{
    answer["ordering"] = {{"l2_barrier", bits.l2Barrier},
                          {"forward_barrier", bits.forwardBarrier},
                          {"signal_mask", hexText(bits.signalMask)},
                          {"wait_mask", hexText(bits.waitMask)}};
}

Json descriptorJson(const target::Target &target, std::uint32_t version, const Json &worked)
{
    Json json = document("descriptor");
    json["target"] = target.name;
    json["descriptor_version"] = version;
    json["image"] = imageJson();
    json["format_word"] = formatWordJson(version);
    json["notes"] = jsonArray(engineNoteTable, format::engineNotes());
    if (!worked.is_null())
        json.update(worked);
    return json;
}

} // namespace kernscope::report
