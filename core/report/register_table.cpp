// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/register_table.h"

#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/number_text.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kRegisterNumber = TextTable::Align::Right;

/// Fields that are not 0, of thirty most are: "KernelFmt=2 (fp16) PaletteEn=1".
Value fieldsValue(const RegisterFacts &row)
{
    std::string text;
    for (const descriptor::BitField &field : row.reg == nullptr
                                                 ? std::span<const descriptor::BitField>()
                                                 : std::span(row.reg->fields)) {
        const std::uint32_t number = field.of(row.value);
        if (number == 0)
            continue;
        const auto meaning = descriptor::decodedField(*row.reg, field, number, row.map);
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, number);
        if (!meaning.empty())
            text += " (" + meaning + ")";
    }
    return text;
}

Json fieldsDocument(const RegisterFacts &row)
{
    Json fields = Json::object();
    if (row.reg != nullptr) {
        for (const descriptor::BitField &field : row.reg->fields)
            fields[field.name] = field.of(row.value);
    }
    return fields;
}

/// Fields whose number means more.
Json decodedDocument(const RegisterFacts &row)
{
    Json decoded = Json::object();
    if (row.reg != nullptr) {
        for (const descriptor::BitField &field : row.reg->fields) {
            auto text = descriptor::decodedField(*row.reg, field, field.of(row.value), row.map);
            if (!text.empty())
                decoded[field.name] = std::move(text);
        }
    }
    return decoded.empty() ? noKey() : decoded;
}

Value addressValue(const RegisterFacts &row)
{
    if (row.field == nullptr)
        return Hex{row.address};
    return row.field->low == row.field->high
               ? std::to_string(row.field->low)
               : fmt::format("{}:{}", row.field->high, row.field->low);
}

/// A register in hexadecimal, a field as a number.
Value valueOf(const RegisterFacts &row, std::uint32_t value)
{
    return row.field == nullptr ? Value(Hex{value, 8}) : Value(Code{row.field->of(value)});
}

Value marksValue(const RegisterFacts &row)
{
    const bool contested =
        row.reg != nullptr && row.reg->confidence == format::Confidence::Contested;
    return fmt::format("{}{}", row.changed() ? "*" : "", contested ? "!" : "");
}

Value evidenceValue(const RegisterFacts &row)
{
    if (row.field != nullptr)
        return View(row.field->evidence);
    return row.reg != nullptr ? Value(View(row.reg->evidence)) : Value(Word{"not named"});
}

std::vector<Column<RegisterFacts>> registerPlaceColumns()
{
    using Row = RegisterFacts;
    return {{.key = "td_offset",
             .title = "at",
             .explanation = "Bytes from the start of the task",
             .align = kRegisterNumber,
             .shown = kDocument | kTerminal,
             .value = [](const Row &row) -> Value { return Hex{row.offset}; },
             .document = [](const Row &row) { return Json(hexText(row.offset)); }},
            {.key = "address",
             .title = "register",
             .explanation = "Address of a register, bits of a field",
             .align = kRegisterNumber,
             .value = addressValue,
             .document = [](const Row &row) { return Json(hexText(row.address, 5)); }},
            {.key = "value",
             .title = "value",
             .explanation = "As stored",
             .align = kRegisterNumber,
             .value = [](const Row &row) { return valueOf(row, row.value); },
             .document = [](const Row &row) { return Json(hexText(row.value, 8)); }},
            {.key = "block",
             .title = "block",
             .explanation = "Block of registers that it belongs to",
             .shown = kDocument | kTerminal,
             .value = [](const Row &row) -> Value {
                 return row.reg == nullptr ? View("?") : View(row.reg->block);
             }},
            {.key = "name",
             .title = "name",
             .explanation = "Block, register, field",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value {
                 if (row.field != nullptr)
                     return View(row.field->name);
                 return row.reg == nullptr ? View("?") : View(row.reg->name);
             }},
            {.key = "marks",
             .title = "mark",
             .explanation = "* differs from the task before, ! sources disagree",
             .shown = kTerminal,
             .value = marksValue}};
}

std::vector<Column<RegisterFacts>> registerMeaningColumns()
{
    using Row = RegisterFacts;
    return {
        {.key = "fields",
         .title = "fields",
         .explanation = "Fields of the register that are not 0",
         .align = TextTable::Align::Name,
         .shown = kDocument | kTerminal,
         .value = fieldsValue,
         .document = fieldsDocument},
        {.key = "decoded",
         .title = "decoded",
         .explanation = "What the numbers of its fields stand for",
         .shown = kDocument,
         .document = decodedDocument},
        {.key = "meaning",
         .title = "meaning",
         .explanation = "What the number stands for, where that is known",
         .shown = kWindow,
         .value = [](const Row &row) -> Value {
             if (row.field == nullptr)
                 return Nothing();
             return descriptor::decodedField(*row.reg, *row.field, row.field->of(row.value),
                                             row.map);
         }},
        {.key = "previous",
         .title = "before",
         .explanation = "What the tasks before left there",
         .align = kRegisterNumber,
         .shown = kDocument | kWindow,
         .value =
             [](const Row &row) {
                 return row.before ? valueOf(row, *row.before) : Value(Nothing());
             },
         .document =
             [](const Row &row) {
                 return row.before ? Json(hexText(*row.before, 8)) : Json(nullptr);
             }},
    };
}

std::vector<Column<RegisterFacts>> registerFileColumns()
{
    using Row = RegisterFacts;
    return {
        {.key = "file_offset",
         .title = "place",
         .explanation = "Offset in the file",
         .align = kRegisterNumber,
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return Hex{row.place}; },
         .document = [](const Row &row) { return Json(hexText(row.place)); }},
        {.key = "confidence",
         .title = "known by",
         .explanation = "What this row rests on",
         .shown = kDocument | kWindow,
         .value = evidenceValue,
         .document =
             [](const Row &row) { return row.reg != nullptr ? Json(row.reg->evidence) : noKey(); }},
    };
}

std::vector<Column<RegisterFacts>> registerValueColumns()
{
    return joinedColumns(registerMeaningColumns(), registerFileColumns());
}

std::vector<Column<LaneFacts>> laneColumns()
{
    using Row = LaneFacts;
    return {{.key = "lane",
             .title = "lane",
             .explanation = "Number of the engine",
             .align = kRegisterNumber,
             .value = [](const Row &row) -> Value { return Code{row.lane.lane}; }},
            {.key = "base",
             .title = "base",
             .explanation = "Where its coefficients begin, as its register says it",
             .align = kRegisterNumber,
             .value = [](const Row &row) -> Value { return Hex{row.lane.base}; },
             .document = [](const Row &row) { return Json(hexText(row.lane.base)); }},
            {.key = "size",
             .title = "bytes",
             .explanation = "Bytes of coefficients",
             .align = kRegisterNumber,
             .value = [](const Row &row) -> Value { return Count{row.lane.size}; },
             .document = [](const Row &row) { return Json(hexText(row.lane.size)); }},
            {.key = "relocated",
             .title = "relocated",
             .explanation = "Whether the loader fills its base word",
             .value =
                 [](const Row &row) { return row.lane.relocated ? Value(true) : Value(Nothing()); },
             .document = [](const Row &row) { return Json(row.lane.relocated); }},
            {.key = "symbol",
             .title = "kernel",
             .explanation = "Symbol of the kernel that it reads",
             .value =
                 [](const Row &row) {
                     return row.symbol != nullptr ? Value(View(row.symbol->name))
                                                  : Value(Word{"no symbol"});
                 },
             .document =
                 [](const Row &row) {
                     return row.symbol != nullptr ? Json(row.symbol->name) : Json(nullptr);
                 }}};
}

/// What only the JSON document has of a lane.
std::vector<Column<LaneFacts>> laneWords()
{
    using Row = LaneFacts;
    return {{.key = "enable",
             .title = "enabled",
             .explanation = "1: only lanes that are enabled are listed",
             .shown = kDocument,
             .document = [](const Row &) { return Json(1); }},
            {.key = "vmaddr",
             .title = "address",
             .explanation = "Virtual address of its first byte",
             .shown = kDocument,
             .document =
                 [](const Row &row) {
                     return row.lane.address ? Json(hexText(*row.lane.address)) : Json(nullptr);
                 }},
            {.key = "matches_symbol",
             .title = "at a symbol",
             .explanation = "Whether a kernel begins exactly there",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.lane.matchesSymbol; }},
            {.key = "size_matches",
             .title = "as long",
             .explanation = "Whether that kernel is as long",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return row.lane.sizeMatches; }}};
}

} // namespace

RegisterFacts RegisterFacts::of(const descriptor::BitField &one) const
{
    RegisterFacts row = *this;
    row.field = &one;
    return row;
}

bool RegisterFacts::changed() const
{
    if (!before)
        return false;
    return field == nullptr ? *before != value : field->of(*before) != field->of(value);
}

std::vector<RegisterFacts> registerFacts(const descriptor::TaskDetail &detail,
                                         const descriptor::RegisterState &before,
                                         const descriptor::Version &version, std::uint64_t place)
{
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    std::vector<RegisterFacts> rows;
    rows.reserve(detail.stream.writes.size());
    for (const descriptor::RegisterWrite &write : detail.stream.writes)
        rows.push_back({map == nullptr ? nullptr : map->find(write.address), nullptr, write.address,
                        write.offset, place + write.offset, write.value, before.get(write.address),
                        version.registerMap});
    return rows;
}

const TableOf<RegisterFacts> &registerTable()
{
    static const TableOf<RegisterFacts> kTable{
        "registers",
        joinedColumns(registerPlaceColumns(), registerValueColumns()),
        {"address", "td_offset", "file_offset", "value", "block", "name", "fields", "decoded",
         "confidence", "previous"},
        {"name", "address", "value", "meaning", "previous", "file_offset", "confidence"}};
    return kTable;
}

std::vector<LaneFacts> laneFacts(const std::vector<hwx::KernelLane> &lanes,
                                 const std::vector<hwx::KernelTile> &tiles,
                                 const hwx::Container &container)
{
    std::vector<LaneFacts> rows;
    for (const hwx::KernelLane &lane : lanes) {
        if (lane.enabled)
            rows.push_back(
                {lane, lane.tile ? &container.symbols[tiles[*lane.tile].symbol] : nullptr});
    }
    return rows;
}

const TableOf<LaneFacts> &laneTable()
{
    static const TableOf<LaneFacts> kTable{"lanes",
                                           joinedColumns(laneColumns(), laneWords()),
                                           {"lane", "enable", "base", "size", "vmaddr", "symbol",
                                            "matches_symbol", "size_matches", "relocated"}};
    return kTable;
}

} // namespace kernscope::report
