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
    return {{kNumber, "offset", "place", "Offset in the file",
             [](const Row &row) -> Value { return Hex(row.slot->place.value); },
             jsonOf([](const Row &row) { return numberJson(row.slot->place.value); })},
            {kNumber, "task", "task", "Task that the word is in", slotTask},
            {"kind", "kind", "How the word comes to hold an address",
             [](const Row &row) -> Value { return Word(hwx::slotKindName(row.slot->kind)); }},
            {"register", "register", "Register that the word is written to",
             [](const Row &row) -> Value { return View(row.slot->registerName); }},
            {kName, "role", "role", "What the address is of",
             [](const Row &row) -> Value { return View(row.slot->role); }}};
}

SlotColumns slotStoredColumns()
{
    using Row = SlotFacts;
    return {{kDocument, "file", "file", "File of the bundle",
             [](const Row &row) -> Value { return row.file; }},
            {kDocument, "bytes", "bytes", "Bytes of its words",
             [](const Row &row) -> Value { return Code(4ULL * row.slot->words); }},
            {kDocument, "section", "section", "Ordinal of its text section",
             [](const Row &row) -> Value { return Code(row.slot->section); }},
            {kDocument, "text_offset", "text offset", "Offset in that section",
             [](const Row &row) -> Value { return Code(row.slot->textOffset); },
             jsonOf([](const Row &row) { return numberJson(row.slot->textOffset); })},
            {kDocument, "address", "address", "Byte address of the register",
             [](const Row &row) -> Value { return hexText(row.slot->address); }},
            {kNumber, "stored", "stored", "Offset in the target, as the file has it",
             [](const Row &row) -> Value { return Hex(row.slot->stored); },
             jsonOf([](const Row &row) { return Json(hexText(row.slot->stored)); })}};
}

SlotColumns slotTargetColumns()
{
    using Row = SlotFacts;
    return {{kName, "target", "target", "What the loader adds",
             [](const Row &row) -> Value { return View(row.slot->target.name); },
             jsonOf(slotTargetJson)},
            {kNumber | kWindow, "loaded", "loaded", "What the loader would write", loadedCell},
            {kNumber | kWindow, "device_address", "device address", "What the engine will use",
             [](const Row &row) -> Value {
                 return row.loaded != nullptr && row.loaded->deviceAddress
                            ? Value(Hex(*row.loaded->deviceAddress))
                            : Value(Nothing());
             }},
            {kDocument, "confidence", "confidence", "How sure it is", [](const Row &row) -> Value {
                 return Word(format::confidenceName(row.slot->confidence));
             }}};
}

SlotColumns loadedWords()
{
    using Row = SlotFacts;
    return {
        {"before", "before", "Its words as the file has them",
         [](const Row &row) -> Value { return slotWords(row.loaded->before, row.slot->words); },
         jsonOf([](const Row &row) { return slotWordsJson(row.loaded->before, row.slot->words); })},
        {"after", "after", "What the loader would write",
         [](const Row &row) -> Value {
             return row.loaded->changes() ? slotWords(row.loaded->after, row.slot->words)
                                          : std::string("the same");
         },
         jsonOf([](const Row &row) { return slotWordsJson(row.loaded->after, row.slot->words); })},
        {kDocument, "changes", "changes", "Whether they differ",
         [](const Row &row) -> Value { return row.loaded->changes(); }},
        {kDocument, "device_address", "device address", "What the engine will use",
         [](const Row &row) -> Value {
             return row.loaded->deviceAddress ? Value(hexText(*row.loaded->deviceAddress))
                                              : Value(Nothing());
         }},
        {kName, "fault", "remark", "Why nothing is written", [](const Row &row) -> Value {
             return row.loaded->fault ? Value(View(row.loaded->fault->message)) : Value(Nothing());
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
    columns.push_back({kDocument, "section", "section", "Ordinal of its text section",
                       [](const SlotFacts &row) -> Value { return Code(row.slot->section); }});
    columns.push_back({kName, "target", "target", "What the loader adds",
                       [](const SlotFacts &row) -> Value { return View(row.slot->target.name); }});
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
    static const TableOf<SlotFacts> kTable{
        "slots",
        joinedColumns(slotNames(), slotStoredColumns(), slotTargetColumns()),
        {"kind", "file", "offset", "bytes", "section", "text_offset", "task", "register", "address",
         "role", "stored", "target"},
        {"offset", "task", "kind", "register", "role", "target"}};
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
