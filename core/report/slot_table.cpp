// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/slot_table.h"

#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/report/number_text.h"

#include <array>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

using SlotColumns = std::vector<Column<SlotFacts>>;
constexpr auto kSlotNumber = TextTable::Align::Right;

Json slotTargetJson(const SlotFacts &row)
{
    const hwx::SlotTarget &target = row.slot->target;
    Json json;
    json["kind"] = hwx::targetKindName(target.kind);
    json["index"] = target.index;
    json["name"] = target.name;
    json["address"] = target.address ? Json(hexText(*target.address)) : Json(nullptr);
    return json;
}

/// "0004f000", of two words "00000001 0004f000".
std::string slotWords(const std::array<std::uint32_t, 2> &words, unsigned count)
{
    return count == 2 ? fmt::format("{:08x} {:08x}", words[0], words[1])
                      : fmt::format("{:08x}", words[0]);
}

Json slotWordsJson(const std::array<std::uint32_t, 2> &words, unsigned count)
{
    Json list = Json::array();
    for (unsigned i = 0; i < count && i < words.size(); ++i)
        list.push_back(fmt::format("0x{:08x}", words[i]));
    return list;
}

Value slotTask(const SlotFacts &row)
{
    return row.slot->task ? Value(Code{*row.slot->task}) : Value(Nothing());
}

Value loadedCell(const SlotFacts &row)
{
    if (row.loaded == nullptr)
        return Nothing();
    if (row.loaded->fault)
        return Word{"refused"};
    return Hex{std::uint64_t(row.loaded->after[1]) << 32 | row.loaded->after[0]};
}

/// What the slot is; both tables begin with it. `shown` of the kind, register, role and target.
SlotColumns slotNames()
{
    using Row = SlotFacts;
    return {
        {.key = "offset",
         .title = "place",
         .explanation = "Offset in the file",
         .align = kSlotNumber,
         .value = [](const Row &row) -> Value { return Hex{row.slot->place.value}; },
         .document = [](const Row &row) { return numberJson(row.slot->place.value); }},
        {.key = "task",
         .title = "task",
         .explanation = "Task that the word is in",
         .align = kSlotNumber,
         .value = slotTask},
        {.key = "kind",
         .title = "kind",
         .explanation = "How the word comes to hold an address",
         .value = [](const Row &row) -> Value { return Word{hwx::slotKindName(row.slot->kind)}; }},
        {.key = "register",
         .title = "register",
         .explanation = "Register that the word is written to",
         .value = [](const Row &row) -> Value { return View(row.slot->registerName); }},
        {.key = "role",
         .title = "role",
         .explanation = "What the address is of",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return View(row.slot->role); }}};
}

SlotColumns slotStoredColumns()
{
    using Row = SlotFacts;
    return {{.key = "file",
             .title = "file",
             .explanation = "File of the bundle",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.file; }},
            {.key = "bytes",
             .title = "bytes",
             .explanation = "Bytes of its words",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Code{4ULL * row.slot->words}; }},
            {.key = "section",
             .title = "section",
             .explanation = "Ordinal of its text section",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Code{row.slot->section}; }},
            {.key = "text_offset",
             .title = "text offset",
             .explanation = "Offset in that section",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return Code{row.slot->textOffset}; },
             .document = [](const Row &row) { return numberJson(row.slot->textOffset); }},
            {.key = "address",
             .title = "address",
             .explanation = "Byte address of the register",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return hexText(row.slot->address); }},
            {.key = "stored",
             .title = "stored",
             .explanation = "Offset in the target, as the file has it",
             .align = kSlotNumber,
             .value = [](const Row &row) -> Value { return Hex{row.slot->stored}; },
             .document = [](const Row &row) { return Json(hexText(row.slot->stored)); }}};
}

SlotColumns slotTargetColumns()
{
    using Row = SlotFacts;
    return {{.key = "target",
             .title = "target",
             .explanation = "What the loader adds",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return View(row.slot->target.name); },
             .document = slotTargetJson},
            {.key = "loaded",
             .title = "loaded",
             .explanation = "What the loader would write",
             .align = kSlotNumber,
             .shown = kWindow,
             .value = loadedCell},
            {.key = "device_address",
             .title = "device address",
             .explanation = "What the engine will use",
             .align = kSlotNumber,
             .shown = kWindow,
             .value = [](const Row &row) -> Value {
                 return row.loaded != nullptr && row.loaded->deviceAddress
                            ? Value(Hex{*row.loaded->deviceAddress})
                            : Value(Nothing());
             }},
            {.key = "confidence",
             .title = "confidence",
             .explanation = "How sure it is",
             .shown = kDocument,
             .value = [](const Row &row) -> Value {
                 return Word{format::confidenceName(row.slot->confidence)};
             }}};
}

SlotColumns slotDetails()
{
    return joinedColumns(slotStoredColumns(), slotTargetColumns());
}

SlotColumns loadedWords()
{
    using Row = SlotFacts;
    return {{.key = "before",
             .title = "before",
             .explanation = "Its words as the file has them",
             .value = [](const Row &row) -> Value {
                 return slotWords(row.loaded->before, row.slot->words);
             },
             .document =
                 [](const Row &row) { return slotWordsJson(row.loaded->before, row.slot->words); }},
            {.key = "after",
             .title = "after",
             .explanation = "What the loader would write",
             .value = [](const Row &row) -> Value {
                 return row.loaded->changes() ? slotWords(row.loaded->after, row.slot->words)
                                              : std::string("the same");
             },
             .document =
                 [](const Row &row) { return slotWordsJson(row.loaded->after, row.slot->words); }},
            {.key = "changes",
             .title = "changes",
             .explanation = "Whether they differ",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.loaded->changes(); }},
            {.key = "device_address",
             .title = "device address",
             .explanation = "What the engine will use",
             .shown = kDocument,
             .value = [](const Row &row) -> Value {
                 return row.loaded->deviceAddress ? Value(hexText(*row.loaded->deviceAddress))
                                                  : Value(Nothing());
             }},
            {.key = "fault",
             .title = "remark",
             .explanation = "Why nothing is written",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value {
                 return row.loaded->fault ? Value(View(row.loaded->fault->message))
                                          : Value(Nothing());
             }}};
}

/// As the command prints a load: the place is called an offset, the task is in documents only.
SlotColumns loadedColumns()
{
    SlotColumns columns = slotNames();
    for (Column<SlotFacts> &column : columns) {
        if (column.key == "offset")
            column.title = "offset";
        else if (column.key == "task")
            column.shown = kDocument;
        else if (column.key == "register")
            column.align = TextTable::Align::Name;
    }
    columns.push_back(
        {.key = "section",
         .title = "section",
         .explanation = "Ordinal of its text section",
         .shown = kDocument,
         .value = [](const SlotFacts &row) -> Value { return Code{row.slot->section}; }});
    columns.push_back(
        {.key = "target",
         .title = "target",
         .explanation = "What the loader adds",
         .align = TextTable::Align::Name,
         .value = [](const SlotFacts &row) -> Value { return View(row.slot->target.name); }});
    const SlotColumns words = loadedWords();
    columns.insert(columns.end(), words.begin(), words.end());
    return columns;
}

} // namespace

std::vector<SlotFacts> slotRows(std::span<const hwx::Slot> slots, std::string_view file)
{
    std::vector<SlotFacts> rows;
    for (const hwx::Slot &slot : slots)
        rows.push_back({&slot, nullptr, file});
    return rows;
}

std::vector<SlotFacts> loadedSlotRows(std::span<const hwx::Slot> slots,
                                      std::span<const hwx::LoadedSlot> loaded)
{
    std::vector<SlotFacts> rows;
    for (const hwx::LoadedSlot &each : loaded)
        rows.push_back({&slots[each.slot], &each});
    return rows;
}

const TableOf<SlotFacts> &slotTable()
{
    static const TableOf<SlotFacts> kTable = [] {
        TableOf<SlotFacts> table{"slots",
                                 slotNames(),
                                 {"kind", "file", "offset", "bytes", "section", "text_offset",
                                  "task", "register", "address", "role", "stored", "target"},
                                 {"offset", "task", "kind", "register", "role", "target"}};
        const SlotColumns more = slotDetails();
        table.columns.insert(table.columns.end(), more.begin(), more.end());
        return table;
    }();
    return kTable;
}

const TableOf<SlotFacts> &loadedSlotTable()
{
    static const TableOf<SlotFacts> kTable{
        "loaded-slots",
        loadedColumns(),
        {"offset", "kind", "section", "task", "register", "role", "target", "before", "after"}};
    return kTable;
}

} // namespace kernscope::report
