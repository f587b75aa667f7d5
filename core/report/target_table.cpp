// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/target_table.h"

#include "core/report/fact_values.h"
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
    using Row = TargetFact;
    static constexpr Column<Row> kColumns[] = {
        {kDocument | kWindow, "layout", "table",
         "Which compiler's layout; offsets of two layouts never mix",
         [](const Row &row) -> Value { return row.table; }},
        {"offset", "offset", "Bytes from the start of that table",
         [](const Row &row) -> Value { return row.offset; }},
        {kName, "name", "field", "What the field is",
         [](const Row &row) -> Value { return row.name; },
         originOf([](const Row &row) { return row.note; })},
        {kDocument | kTerminal, "byte", "kind",
         "A capability byte, of which the lowest bit counts, or a scalar",
         [](const Row &row) -> Value {
             return row.byte ? Value(Word(*row.byte ? "byte" : "scalar")) : Value(Nothing());
         },
         jsonOf([](const Row &row) { return optionalJson(row.byte); })},
        {kNumber | kDocument | kTerminal, "value", "value",
         "Value on the chip; unknown is never taken as 0",
         [](const Row &row) { return halCell(row.value); }, unknownAs("unknown"),
         jsonOf(halValueJson)},
        {kWindow, "first", "first", "Value on the first chip; unknown is never taken as 0",
         [](const Row &row) { return halCell(row.value); }, unknownAs("unknown"),
         originOf([](const Row &row) { return readFor(row.value); })},
        {kWindow, "second", "second", "Value on the second chip",
         [](const Row &row) -> Value { return row.other ? halCell(*row.other) : Value(Nothing()); },
         unknownAs("unknown"),
         originOf([](const Row &row) { return row.other ? readFor(*row.other) : std::string(); })},
        {kDocument, "bit", "bit", "The lowest bit of a capability byte", nullptr,
         jsonOf(halBitJson)},
        {kDocument | kTerminal, "scope", "known for",
         "Target or family that the value was read for; * is every chip",
         [](const Row &row) { return orNothing(row.value.scope); }},
        {kName, "source", "source", "Where the value is documented",
         [](const Row &row) -> Value { return knownOf(row).source; }},
        {kDocument | kWindow, "confidence", "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(knownOf(row).confidence); }},
        {kDocument, "note", "note", "What is to be known of the field",
         [](const Row &row) -> Value {
             return row.note.empty() ? Value(Absent()) : Value(row.note);
         }},
    };
    static const TableOf<Row> kTable{"targets", kColumns};
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
    using Row = FloorFacts;
    static constexpr Column<Row> kColumns[] = {
        {"floor", "floor", "Name of the MinimumFamily trait",
         [](const Row &row) -> Value { return View(row.floor->floor); }},
        {"family", "family", "The first family that reaches it",
         [](const Row &row) -> Value { return View(row.floor->family); }},
        {"reached", "reached", "Whether the chip's family does",
         [](const Row &row) { return known(row.reached); }, unknownAs("unknown")},
        {"operations", "operations", "Operations that ask for it",
         [](const Row &row) -> Value { return View(row.floor->operations); }},
        {"source", "source", "Where the floor is documented",
         [](const Row &row) -> Value { return View(row.floor->source); }},
        {kDocument, "confidence", "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row.floor->confidence); }},
        {kDocument, "note", "note", "What is to be known of it",
         [](const Row &row) -> Value { return View(row.floor->note); }},
    };
    static const TableOf<Row> kTable{
        "family-floors", kColumns, {"floor", "family", "operations", "reached"}};
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
    using Row = PlacedFact;
    static constexpr Column<Row> kColumns[] = {
        {"place", "place", "Where the fact was read, or that it is a rule",
         [](const Row &row) -> Value { return row.place; }},
        {"name", "fact", "What it says", [](const Row &row) -> Value { return row.name; }},
        {"value", "value", "Its value on the chip",
         [](const Row &row) -> Value { return row.value; }},
        {kName, "source", "source", "Where it is documented",
         [](const Row &row) -> Value { return row.source; }},
        {kDocument, "confidence", "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row.confidence); }},
        {kDocument, "note", "note", "What is to be known of a rule",
         [](const Row &row) -> Value { return row.note ? Value(*row.note) : Value(Absent()); }},
    };
    static const TableOf<Row> kTable{"chip-facts", kColumns};
    return kTable;
}

} // namespace kernscope::report
