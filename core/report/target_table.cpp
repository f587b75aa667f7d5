// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/target_table.h"

#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"

namespace kernscope::report {

namespace {

Value halCell(const HalShown &shown)
{
    if (shown.scope.empty())
        return Unknown();
    return shown.number ? Value(Written{static_cast<double>(*shown.number), shown.text})
                        : Value(shown.text);
}

Json halValueJson(const TargetFact &row)
{
    if (row.value.scope.empty())
        return nullptr;
    return row.value.number ? Json(*row.value.number) : Json(row.value.text);
}

Json halBitJson(const TargetFact &row)
{
    if (!row.byte.value_or(false))
        return noKey();
    return row.value.number ? Json((*row.value.number & 1) != 0) : Json(nullptr);
}

/// Of the first chip that has the value.
const HalShown &knownOf(const TargetFact &row)
{
    return row.value.scope.empty() && row.other && !row.other->scope.empty() ? *row.other
                                                                             : row.value;
}

std::string readFor(const HalShown &shown)
{
    return shown.scope.empty() ? std::string() : shown.scope + ": " + shown.source;
}

/// In the window two chips stand beside each other, and what sources say of them is long.
std::vector<Column<TargetFact>> targetFactIdentityColumns()
{
    using Row = TargetFact;
    return {
        {.key = "layout",
         .title = "table",
         .explanation = "Which compiler's layout; offsets of two layouts never mix",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return row.table; }},
        {.key = "offset",
         .title = "offset",
         .explanation = "Bytes from the start of that table",
         .value = [](const Row &row) -> Value { return row.offset; }},
        {.key = "name",
         .title = "field",
         .explanation = "What the field is",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return row.name; },
         .origin = [](const Row &row) { return row.note; }},
    };
}

std::vector<Column<TargetFact>> targetFactValueColumns()
{
    using Row = TargetFact;
    return {
        {.key = "byte",
         .title = "kind",
         .explanation = "A capability byte, of which the lowest bit counts, or a scalar",
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value {
             return row.byte ? Value(Word{*row.byte ? "byte" : "scalar"}) : Value(Nothing());
         },
         .document = [](const Row &row) { return optionalJson(row.byte); }},
        {.key = "value",
         .title = "value",
         .explanation = "Value on the chip; unknown is never taken as 0",
         .align = TextTable::Align::Right,
         .shown = kDocument | kTerminal,
         .unknown = "unknown",
         .value = [](const Row &row) { return halCell(row.value); },
         .document = halValueJson},
        {.key = "first",
         .title = "first",
         .explanation = "Value on the first chip; unknown is never taken as 0",
         .shown = kWindow,
         .unknown = "unknown",
         .value = [](const Row &row) { return halCell(row.value); },
         .origin = [](const Row &row) { return readFor(row.value); }},
        {.key = "second",
         .title = "second",
         .explanation = "Value on the second chip",
         .shown = kWindow,
         .unknown = "unknown",
         .value = [](const Row &row) -> Value {
             return row.other ? halCell(*row.other) : Value(Nothing());
         },
         .origin = [](const Row &row) { return row.other ? readFor(*row.other) : std::string(); }},
        {.key = "bit",
         .title = "bit",
         .explanation = "The lowest bit of a capability byte",
         .shown = kDocument,
         .document = halBitJson},
    };
}

std::vector<Column<TargetFact>> targetFactSourceColumns()
{
    using Row = TargetFact;
    return {
        {.key = "scope",
         .title = "known for",
         .explanation = "Target or family that the value was read for; * is every chip",
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) { return orNothing(row.value.scope); }},
        {.key = "source",
         .title = "source",
         .explanation = "Where the value is documented",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return knownOf(row).source; }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well it is known",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) { return confidenceValue(knownOf(row).confidence); }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of the field",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.note.empty() ? Value(Absent()) : Value(row.note);
         }},
    };
}

std::vector<Column<TargetFact>> targetFactColumns()
{
    return joinedColumns(targetFactIdentityColumns(), targetFactValueColumns(),
                         targetFactSourceColumns());
}

std::vector<Column<FloorFacts>> floorColumns()
{
    using Row = FloorFacts;
    return {
        {.key = "floor",
         .title = "floor",
         .explanation = "Name of the MinimumFamily trait",
         .value = [](const Row &row) -> Value { return View(row.floor->floor); }},
        {.key = "family",
         .title = "family",
         .explanation = "The first family that reaches it",
         .value = [](const Row &row) -> Value { return View(row.floor->family); }},
        {.key = "reached",
         .title = "reached",
         .explanation = "Whether the chip's family does",
         .unknown = "unknown",
         .value = [](const Row &row) { return known(row.reached); }},
        {.key = "operations",
         .title = "operations",
         .explanation = "Operations that ask for it",
         .value = [](const Row &row) -> Value { return View(row.floor->operations); }},
        {.key = "source",
         .title = "source",
         .explanation = "Where the floor is documented",
         .value = [](const Row &row) -> Value { return View(row.floor->source); }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well it is known",
         .shown = kDocument,
         .value = [](const Row &row) { return confidenceValue(row.floor->confidence); }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of it",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.floor->note); }},
    };
}

std::vector<Column<PlacedFact>> placedFactColumns()
{
    using Row = PlacedFact;
    return {
        {.key = "place",
         .title = "place",
         .explanation = "Where the fact was read, or that it is a rule",
         .value = [](const Row &row) -> Value { return row.place; }},
        {.key = "name",
         .title = "fact",
         .explanation = "What it says",
         .value = [](const Row &row) -> Value { return row.name; }},
        {.key = "value",
         .title = "value",
         .explanation = "Its value on the chip",
         .value = [](const Row &row) -> Value { return row.value; }},
        {.key = "source",
         .title = "source",
         .explanation = "Where it is documented",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return row.source; }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well it is known",
         .shown = kDocument,
         .value = [](const Row &row) { return confidenceValue(row.confidence); }},
        {.key = "note",
         .title = "note",
         .explanation = "What is to be known of a rule",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.note ? Value(*row.note) : Value(Absent());
         }},
    };
}

} // namespace

std::vector<TargetFact> halRows(const target::Target &target, const target::Target *other)
{
    std::vector<TargetFact> rows;
    for (const target::HalField &field : target::halFields()) {
        TargetFact row;
        row.table = target::halLayoutName(field.layout);
        row.offset = target::halOffsetText(field.offset);
        row.name = field.name;
        row.note = field.note;
        row.byte = field.isByte;
        row.value = halShown(target, field);
        if (other != nullptr)
            row.other = halShown(*other, field);
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<TargetFact> &targetFactTable()
{
    static const TableOf<TargetFact> kTable{"targets", targetFactColumns()};
    return kTable;
}

std::vector<FloorFacts> floorRows(const target::Target &target)
{
    std::vector<FloorFacts> rows;
    for (const target::FamilyFloor &floor : target::familyFloors())
        rows.push_back({&floor, target::reachesFloor(target, floor)});
    return rows;
}

const TableOf<FloorFacts> &floorTable()
{
    static const TableOf<FloorFacts> kTable{
        "family-floors", floorColumns(), {"floor", "family", "operations", "reached"}};
    return kTable;
}

std::vector<PlacedFact> placedFacts(const target::Target &target)
{
    std::vector<PlacedFact> rows;
    for (const target::ChipFact &fact : target::chipFacts()) {
        if (fact.target == target.name || fact.target == "*")
            rows.push_back({fact.place, fact.name, fact.value, fact.source, fact.confidence, {}});
    }
    for (const target::TargetRule &rule : target::targetRules()) {
        if (target::targetRule(target, rule.rule) == &rule)
            rows.push_back(
                {"rule", rule.rule, rule.value, rule.source, rule.confidence, rule.note});
    }
    return rows;
}

const TableOf<PlacedFact> &placedFactTable()
{
    static const TableOf<PlacedFact> kTable{"chip-facts", placedFactColumns()};
    return kTable;
}

} // namespace kernscope::report
