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
    static constexpr Column<Row> kColumns[] = {
        {"name", "stream", "What the stream loads",
         [](const Row &row) -> Value { return View(row.name); }},
        {"word", "word", "Word of a record that has its address",
         [](const Row &row) -> Value { return Code(row.word); }},
        {"enable", "enable", "Register that enables it",
         [](const Row &row) -> Value { return hexText(row.enable); }},
        {"base_offset", "base offset", "Register of its offset",
         [](const Row &row) -> Value { return hexText(row.base); }},
        {"relocation", "relocation", "Register of its relocation",
         [](const Row &row) -> Value { return hexText(row.relocation); }},
        {kDocument, "source", "source", "Where the registers are from",
         [](const Row &) -> Value { return View("tables 20.8 and 25.4"); }},
    };
    static const TableOf<Row> kTable{"streams", kColumns};
    return kTable;
}

Json sectionStreamsJson()
{
    return jsonArray(streamSlotTable(), streamSlots());
}

const TableOf<section::ListingDifference> &listingDifferenceTable()
{
    using Row = section::ListingDifference;
    static constexpr Column<Row> kColumns[] = {
        {kName, "unit", "unit", "Kernel unit, by its place in the listing",
         [](const Row &row) -> Value { return View(row.unit); }},
        {"section", "section", "One of its six sections; empty: the unit itself",
         [](const Row &row) { return orNothing(row.section); }},
        {"field", "field", "What is another",
         [](const Row &row) -> Value { return View(row.field); }},
        {kNumber, "expected", "listing", "What the listing says",
         [](const Row &row) -> Value { return View(row.expected); }},
        {kNumber, "found", "section file", "What the weight section has",
         [](const Row &row) -> Value { return View(row.found); }},
    };
    static const TableOf<Row> kTable{"listing-differences", kColumns};
    return kTable;
}

void addExpectedListing(Json &document, std::string_view path,
                        const std::vector<section::ListingDifference> &differences)
{
    Json &json = document["expected"];
    json["path"] = path;
    json["equal"] = differences.empty();
    json["differences"] = jsonArray(listingDifferenceTable(), differences);
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
    static constexpr Column<Row> kColumns[] = {
        {kName, "weight", "weight", "Weight that the slice is of",
         [](const Row &row) -> Value { return View(row.weight); }},
        {"lane", "lane", "Engine core that loads it",
         [](const Row &row) -> Value { return Code(row.lane); }},
        {kNumber, "offset", "offset", "First byte in the file",
         [](const Row &row) -> Value { return Hex(row.offset); }},
        {kNumber, "bytes", "bytes", "Length in bytes",
         [](const Row &row) -> Value { return Count(row.bytes); }},
    };
    static const TableOf<Row> kTable{"slices", kColumns};
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
