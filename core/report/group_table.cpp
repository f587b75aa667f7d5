// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/group_table.h"

#include "core/bundle/bundle.h"
#include "core/container/section/layout.h"
#include "core/report/joined_columns.h"
#include "core/report/number_text.h"

#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

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

Value codebookValue(const GroupRow &row)
{
    return row.addresses.empty() ? Value(Absent()) : Value(Count{row.codebook});
}

Value copyValue(const GroupRow &row)
{
    if (!row.copied)
        return Absent();
    return row.copy == 0 ? Value(Unknown()) : Value(Count{row.copy});
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

std::vector<Column<GroupRow>> groupIdentityColumns()
{
    using Row = GroupRow;
    return {{kNumber | kWindow, "core", "core",
             "The engine core that makes these channels; in a hardware container the N of the "
             "symbol's \"_ne_N\"",
             [](const Row &row) -> Value { return Count(row.core); }},
            {kNumber | kWindow, "group", "group",
             "Number of the group on its core: a record of a weight section, a plane of a "
             "container's slice",
             [](const Row &row) -> Value { return Count(row.record); }},
            {kWindow, "channels", "channels", "Output channels, the lane counting fastest",
             [](const Row &row) -> Value { return channelsText(row); },
             sortedBy([](const Row &row) { return SortValue(row.firstChannel); })},
            {kNumber | kWindow, "lanes", "lanes",
             "Channels of the group: they interleave in memory",
             [](const Row &row) -> Value {
                 return row.runs.empty() ? Value(Unknown()) : Value(Count(row.channels));
             },
             unknownAs("not known")}};
}

std::vector<Column<GroupRow>> groupPlaceColumns()
{
    using Row = GroupRow;
    return {{kNumber | kWindow, "offset", "offset", "Of the group's coefficients in the file",
             [](const Row &row) -> Value {
                 return row.bytes.bytes.value == 0 ? Value(Word("in the masked values"))
                                                   : Value(Hex(row.bytes.offset.value));
             }},
            {kNumber | kWindow, "bytes", "bytes", "Of the group's coefficients",
             [](const Row &row) -> Value { return Count(row.bytes.bytes.value); }},
            {kNumber | kWindow, "codebook", "codebook",
             "Of the core's palette that serves the group", codebookValue},
            {kNumber | kWindow, "copy", "copy",
             "Number of the copy that a further stream of tasks reads; a dash is the first",
             copyValue}};
}

std::vector<Column<GroupRow>> groupColumns()
{
    std::vector<Column<GroupRow>> columns =
        joinedColumns(groupIdentityColumns(), groupPlaceColumns());
    addSlots(columns, std::make_index_sequence<kSlots>());
    return columns;
}

} // namespace

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

const TableOf<GroupRow> &groupTable()
{
    static const TableOf<GroupRow> kTable{"groups", groupColumns()};
    return kTable;
}

} // namespace kernscope::report
