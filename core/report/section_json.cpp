// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/section_json.h"

#include "core/container/section/layout.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/number_text.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Json entryJson(const section::Unit &unit, section::Kind kind)
{
    const section::Entry &entry = unit.entry(kind);
    if (entry.bytes == 0)
        return nullptr;
    Json json;
    json["type"] = entry.type;
    json["bit_depth"] = entry.bitDepth;
    json["count"] = entry.count;
    if (kind == section::Kind::Pal)
        json["palette_format"] = entry.paletteFormat;
    json["offset"] = numberJson(entry.offset);
    json["bytes"] = numberJson(entry.bytes);
    return json;
}

Json recordJson(const section::WeightSection &section, const section::RecordPlace &place)
{
    const section::GroupRecord &record = section.units[place.unit].records[place.record];
    Json json;
    json["unit"] = place.unit;
    json["core"] = section.units[place.unit].core;
    json["record"] = place.record;
    json["offset"] = record.offset();
    json["channels"] = record.channels();
    json["first_channel"] = numberJson(place.firstChannel);
    json["file_offset"] = numberJson(place.range.offset.value);
    json["bytes"] = numberJson(place.range.bytes.value);
    if (section.units[place.unit].has(section::Kind::Pal))
        json["codebook"] = numberJson(place.codebook);
    Json slots = Json::object();
    for (const section::RecordSlot &slot : section::recordSlots()) {
        const std::uint32_t word = record.words[slot.word];
        slots[std::string(slot.name)] =
            word == section::kUnresolved ? Json(nullptr) : Json(fmt::format("{:#x}", word));
    }
    json["slots"] = std::move(slots);
    return json;
}

Json unitJson(const section::Unit &unit)
{
    Json json;
    json["name"] = unit.name;
    json["type"] = unit.type;
    json["kernel_format"] = unit.kernelFormat;
    json["core"] = unit.core;
    json["cores"] = unit.cores;
    json["shape"] = {unit.outputs, unit.inputs, unit.depth, unit.height, unit.width};
    json["groups"] = unit.groups;
    json["flags"] = section::unitFlagNames(unit.flags);
    json["vector_size"] = unit.vectorSize;
    json["payload"] = numberJson(unit.payload);
    json["payload_bytes"] = numberJson(unit.payloadBytes);
    Json entries = Json::object();
    for (std::size_t kind = 0; kind < section::kKinds; ++kind) {
        const auto entry = static_cast<section::Kind>(kind);
        entries[std::string(format::unitSectionName(entry))] = entryJson(unit, entry);
    }
    json["sections"] = std::move(entries);
    const std::uint64_t palette = unit.entry(section::Kind::Pal).bytes;
    const std::uint64_t activation = unit.entry(section::Kind::Lut).bytes;
    json["table_budget"] = {{"palette_bytes", numberJson(palette)},
                            {"activation_bytes", numberJson(activation)},
                            {"bytes", numberJson(palette + activation)},
                            {"cap", nullptr}, // published of no chip
                            {"fits", nullptr}};
    json["fault"] = unit.fault ? Json(describe(*unit.fault)) : Json(nullptr);
    return json;
}

} // namespace

std::vector<section::RecordSlot> streamSlots()
{
    std::vector<section::RecordSlot> slots;
    for (const section::RecordSlot &slot : section::recordSlots()) {
        if (slot.relocation != 0)
            slots.push_back(slot);
    }
    return slots;
}

const TableOf<section::RecordSlot> &streamSlotTable()
{
    using Row = section::RecordSlot;
    static const TableOf<Row> kTable{
        "streams",
        {{.key = "name",
          .title = "stream",
          .explanation = "What the stream loads",
          .value = [](const Row &row) -> Value { return View(row.name); }},
         {.key = "word",
          .title = "word",
          .explanation = "Word of a record that has its address",
          .value = [](const Row &row) -> Value { return Code{row.word}; }},
         {.key = "enable",
          .title = "enable",
          .explanation = "Register that enables it",
          .value = [](const Row &row) -> Value { return hexText(row.enable); }},
         {.key = "base_offset",
          .title = "base offset",
          .explanation = "Register of its offset",
          .value = [](const Row &row) -> Value { return hexText(row.base); }},
         {.key = "relocation",
          .title = "relocation",
          .explanation = "Register of its relocation",
          .value = [](const Row &row) -> Value { return hexText(row.relocation); }},
         {.key = "source",
          .title = "source",
          .explanation = "Where the registers are from",
          .shown = kDocument,
          .value = [](const Row &) -> Value { return View("tables 20.8 and 25.4"); }}}};
    return kTable;
}

Json sectionStreamsJson()
{
    return jsonArray(streamSlotTable(), streamSlots());
}

Json sectionJson(const section::WeightSection &section)
{
    Json json;
    json["version"] = section.version;
    json["codegen_version"] = section.codegen;
    json["target"] = section.target;
    json["resolved"] = section.resolved();
    json["bytes"] = numberJson(section.fileBytes);
    json["units"] = Json::array();
    for (const section::Unit &unit : section.units)
        json["units"].push_back(unitJson(unit));
    json["records"] = Json::array();
    for (const section::UnitGroup &group : section.groups) {
        if (group.fault)
            continue;
        for (const section::RecordPlace &place : section::recordPlaces(section, group))
            json["records"].push_back(recordJson(section, place));
    }
    return json;
}

Json sectionListJson(const section::WeightSection &section)
{
    Json json = document("section");
    json["section"] = sectionJson(section);
    json["listing"] = section::listing(section);
    json["streams"] = sectionStreamsJson();
    return json;
}

Json sectionWrittenJson(const section::WeightSection &section, std::string_view output)
{
    Json json = document("section");
    json["output"] = output;
    json["section"] = sectionJson(section);
    return json;
}

const TableOf<SliceRow> &sliceTable()
{
    using Row = SliceRow;
    constexpr auto kNumber = TextTable::Align::Right;
    static const TableOf<Row> kTable{
        "slices",
        {{.key = "weight",
          .title = "weight",
          .explanation = "Weight that the slice is of",
          .align = TextTable::Align::Name,
          .value = [](const Row &row) -> Value { return View(row.weight); }},
         {.key = "lane",
          .title = "lane",
          .explanation = "Engine core that loads it",
          .value = [](const Row &row) -> Value { return Code{row.lane}; }},
         {.key = "offset",
          .title = "offset",
          .explanation = "First byte in the file",
          .align = kNumber,
          .value = [](const Row &row) -> Value { return Hex{row.offset}; }},
         {.key = "bytes",
          .title = "bytes",
          .explanation = "Length in bytes",
          .align = kNumber,
          .value = [](const Row &row) -> Value { return Count{row.bytes}; }}}};
    return kTable;
}

Json sliceFileJson(const std::vector<SliceRow> &rows, const SliceFileFacts &file)
{
    Json json = document("section");
    json["output"] = file.output;
    json["target"] = file.target;
    json["slices"] = jsonArray(sliceTable(), rows);
    json["size_law"] = file.laws;
    return json;
}

} // namespace kernscope::report
