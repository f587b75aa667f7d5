// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/section_json.h"

#include "core/bundle/bundle.h"
#include "core/container/section/layout.h"
#include "core/report/json_table.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Json entryJson(const section::Unit &unit, section::Kind kind)
{
    const section::Entry &entry = unit.entry(kind);
    if (entry.bytes == 0)
        return nullptr;
    Json json{{"type", entry.type}, {"bit_depth", entry.bitDepth}, {"count", entry.count}};
    if (kind == section::Kind::Pal)
        json["palette_format"] = entry.paletteFormat;
    json["offset"] = numberJson(entry.offset);
    json["bytes"] = numberJson(entry.bytes);
    return json;
}

Json recordJson(const section::WeightSection &section, const section::RecordPlace &place)
{
    const section::GroupRecord &record = section.units[place.unit].records[place.record];
    Json json{{"unit", place.unit},
              {"core", section.units[place.unit].core},
              {"record", place.record},
              {"offset", record.offset()},
              {"channels", record.channels()},
              {"first_channel", numberJson(place.firstChannel)},
              {"file_offset", numberJson(place.range.offset.value)},
              {"bytes", numberJson(place.range.bytes.value)}};
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
    Json json{{"name", unit.name},
              {"type", unit.type},
              {"kernel_format", unit.kernelFormat},
              {"core", unit.core},
              {"cores", unit.cores},
              {"shape", {unit.outputs, unit.inputs, unit.depth, unit.height, unit.width}},
              {"groups", unit.groups},
              {"flags", section::unitFlagNames(unit.flags)},
              {"vector_size", unit.vectorSize},
              {"payload", numberJson(unit.payload)},
              {"payload_bytes", numberJson(unit.payloadBytes)}};
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

Value typeValue(const UnitSectionFacts &row)
{
    if (!row.content)
        return Word{"absent"};
    const format::CatalogueRow *type = format::find(row.content->type);
    return type == nullptr ? Value(Unknown()) : Value(fmt::format("{} {}", type->code, type->name));
}

template <std::uint64_t format::UnitSection::*Member>
Value amountValue(const UnitSectionFacts &row)
{
    return row.content ? Value(Count{(*row.content).*Member}) : Value(Nothing());
}

constexpr std::size_t kSlots = 10; ///< words 2 to 11 of a record

/// The groups of the units that hold a weight, or the weight that biases lie beside.
std::vector<GroupRow> groupsOfSection(const Bundle &bundle, std::size_t weight)
{
    const std::vector<Weight> &weights = bundle.weights();
    const bool bias = weights[weight].role == WeightRole::Bias;
    const std::size_t coefficients = bias ? weights[weight].beside : weight;
    std::vector<GroupRow> rows;
    if (weights[weight].role == WeightRole::ActivationTable || coefficients >= weights.size())
        return rows;
    const section::WeightSection &section = *bundle.section();
    for (const section::UnitGroup &group : section.groups) {
        if (group.fault || group.name != weights[coefficients].name)
            continue;
        for (const section::RecordPlace &place : section::recordPlaces(section, group)) {
            const section::Unit &unit = section.units[place.unit];
            const auto &words = unit.records[place.record].words;
            GroupRow row;
            row.unit = place.unit;
            row.core = unit.core;
            row.record = place.record;
            row.firstChannel = place.firstChannel;
            row.channels = place.channels;
            row.runs = {{place.firstChannel, place.channels}};
            row.codebook = place.codebook;
            row.recordOffset =
                unit.range(section::Kind::Ocgs).offset.value + place.record * section::kRecordBytes;
            row.bytes = place.range;
            row.addresses.assign(words.begin() + 2, words.begin() + 12);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

GroupRow rowOfPiece(const LanePiece &piece)
{
    GroupRow row;
    row.core = piece.lane;
    row.record = piece.plane;
    row.runs = piece.channels;
    row.firstChannel = piece.channels.empty() ? 0 : piece.channels.front().first;
    for (const ChannelRun &run : piece.channels)
        row.channels += run.count;
    row.bytes = piece.bytes;
    row.copy = piece.copy;
    return row;
}

/// Of a record's words that the loader fills in; a hardware container has none.
template <std::size_t Slot>
Value slotValue(const GroupRow &row)
{
    if (Slot >= row.addresses.size())
        return Absent();
    const std::uint32_t address = row.addresses[Slot];
    return address == section::kUnresolved ? Value(Word{"unresolved"}) : Value(Hex{address});
}

/// What a slot is: key and explanation, which the columns point to.
struct SlotWords {
    std::string key, explanation;
};

SlotWords recordSlotWords(const section::RecordSlot &slot)
{
    const std::string key = fmt::format("word_{}", slot.word);
    if (slot.base == 0)
        return {key, fmt::format("Word {} of the record: an address that the loader fills in",
                                 slot.word)};
    return {key, fmt::format("Word {} of the record. Stream registers: enable {}, base {}, "
                             "relocation {}",
                             slot.word, hexText(slot.enable), hexText(slot.base),
                             hexText(slot.relocation))};
}

template <std::size_t... Slots>
void addSlots(std::vector<Column<GroupRow>> &columns, std::index_sequence<Slots...>)
{
    static const std::vector<SlotWords> kWords = [] {
        std::vector<SlotWords> words;
        for (const section::RecordSlot &slot : section::recordSlots())
            words.push_back(recordSlotWords(slot));
        return words;
    }();
    (columns.push_back({kNumber | kWindow, kWords[Slots].key, section::recordSlots()[Slots].name,
                        kWords[Slots].explanation, slotValue<Slots>}),
     ...);
}

std::vector<Column<GroupRow>> groupColumns()
{
    std::vector<Column<GroupRow>> columns{
        {kNumber | kWindow, "core",
         "The engine core that makes these channels; in a hardware container the N of the "
         "symbol's \"_ne_N\"",
         member<&GroupRow::core, Count>},
        {kNumber | kWindow, "group",
         "Number of the group on its core: a record of a weight section, a plane of a "
         "container's slice",
         member<&GroupRow::record, Count>},
        {kWindow, "channels", "Output channels, the lane counting fastest", CELL(channelsText(row)),
         sortedBy(CELL(SortValue(row.firstChannel)))},
        {kNumber | kWindow, "lanes", "Channels of the group: they interleave in memory",
         CELL(row.runs.empty() ? Value(Unknown()) : Value(Count(row.channels))),
         unknownAs("not known")},
        {kNumber | kWindow, "offset", "Of the group's coefficients in the file",
         CELL(row.bytes.bytes.value == 0 ? Value(Word("in the masked values"))
                                         : Value(Hex(row.bytes.offset.value)))},
        {kNumber | kWindow, "bytes", "Of the group's coefficients",
         CELL(Count(row.bytes.bytes.value))},
        {kNumber | kWindow, "codebook", "Of the core's palette that serves the group",
         CELL(row.addresses.empty() ? Value(Absent()) : Value(Count(row.codebook)))},
        {kNumber | kWindow, "copy",
         "Number of the copy that a further stream of tasks reads; a dash is the first",
         CELL(!row.copied     ? Value(Absent())
              : row.copy == 0 ? Value(Unknown())
                              : Value(Count{row.copy}))}};
    addSlots(columns, std::make_index_sequence<kSlots>());
    return columns;
}

/// The value of the key "section": header, units with their six sections, flags and records, each
/// record with its channels, bytes and slots.
Json sectionJson(const section::WeightSection &section)
{
    Json json{{"version", section.version},
              {"codegen_version", section.codegen},
              {"target", section.target},
              {"resolved", section.resolved()},
              {"bytes", numberJson(section.fileBytes)},
              {"units", listJson(section.units, unitJson)},
              {"records", Json::array()}};
    for (const section::UnitGroup &group : section.groups) {
        if (group.fault)
            continue;
        for (const section::RecordPlace &place : section::recordPlaces(section, group))
            json["records"].push_back(recordJson(section, place));
    }
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

const TableOf<section::RecordSlot> streamSlotTable(
    "streams",
    {{"name", "stream", "What the stream loads", member<&section::RecordSlot::name>},
     {"word", "Word of a record that has its address", member<&section::RecordSlot::word, Code>},
     {"enable", "Register that enables it", CELL(hexText(row.enable))},
     {"base_offset", "base offset", "Register of its offset", CELL(hexText(row.base))},
     {"relocation", "Register of its relocation", CELL(hexText(row.relocation))},
     {kDocument, "source", "Where the registers are from",
      [](auto &) { return View("tables 20.8 and 25.4"); }}});

Json sectionListJson(const section::WeightSection &section)
{
    Json json = document("section");
    json["section"] = sectionJson(section);
    json["listing"] = section::listing(section);
    json["streams"] = jsonArray(streamSlotTable, streamSlots()); // table 25.4
    return json;
}

Json sectionWrittenJson(const section::WeightSection &section, std::string_view output)
{
    Json json = document("section");
    json["output"] = output;
    json["section"] = sectionJson(section);
    return json;
}

std::vector<UnitSectionFacts> unitSections(const hwx::TaskUnit &unit)
{
    std::vector<UnitSectionFacts> rows;
    for (std::size_t i = 0; i < format::KernelUnit::kSections; ++i) {
        UnitSectionFacts &row = rows.emplace_back();
        row.section = static_cast<format::KernelUnit::SectionId>(i);
        row.content = unit.unit.sections[i];
        for (const auto &[section, note] : unit.notes) {
            if (section == row.section)
                row.note = note;
        }
    }
    return rows;
}

const TableOf<UnitSectionFacts> unitSectionTable(
    "unit-sections",
    {{"section", "Which of the six sections of a kernel unit",
      CELL(format::unitSectionName(row.section))},
     {"element_type", "element type", "Number and name in the catalogue of element types",
      typeValue},
     {kNumber, "bits", "Bits of one element",
      [](auto &row) {
          const bool known = row.content && row.content->bitDepth != 0;
          return known ? Value(Count(row.content->bitDepth)) : Value(Nothing());
      }},
     {kNumber, "count", "Codebooks, records, channels or elements",
      amountValue<&format::UnitSection::count>},
     {kNumber, "bytes", "Length of the section", amountValue<&format::UnitSection::bytes>},
     {"rests_on", "rests on", "What the row is concluded from where the file does not store it",
      CELL(orNothing(row.note))}});

std::string tableBudgetText(std::uint64_t palette, std::uint64_t activation)
{
    return palette + activation == 0
               ? std::string()
               : fmt::format("palette {} and activation table {}: {} of the on-chip memory that "
                             "both share; its size on a chip is not published, so whether they "
                             "fit is open",
                             bytesText(palette), bytesText(activation),
                             bytesText(palette + activation));
}

std::vector<GroupRow> groupRows(const Bundle &bundle, std::size_t weight)
{
    if (weight >= bundle.weights().size())
        return {};
    if (bundle.section())
        return groupsOfSection(bundle, weight);
    std::vector<GroupRow> rows;
    for (const LanePiece &piece : bundle.weights()[weight].lanePieces)
        rows.push_back(rowOfPiece(piece));
    const bool copied = !rows.empty() && rows.back().copy != 0;
    for (GroupRow &row : rows)
        row.copied = copied;
    return rows;
}

std::string channelsText(const GroupRow &row)
{
    if (row.runs.empty())
        return "not known";
    std::string text;
    for (const ChannelRun &run : row.runs) {
        if (run.count == 0)
            continue;
        text += (text.empty() ? "" : ", ") + grouped(run.first);
        if (run.count > 1)
            text += " to " + grouped(run.first + run.count - 1);
    }
    return text.empty() ? "none" : text;
}

const TableOf<GroupRow> groupTable("groups", groupColumns());

} // namespace kernscope::report
