// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_table.h"

#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/text_table.h"
#include "core/target/registry.h"
#include "core/target/rules.h"

#include <string>

#include <fmt/format.h>

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
         "Which compiler's layout; offsets of two layouts never mix", member<&Row::table>},
        {"offset", "Bytes from the start of that table", member<&Row::offset>},
        {kName, "name", "field", "What the field is", member<&Row::name>,
         originOf([](const Row &row) { return row.note; })},
        {kDocument | kTerminal, "byte", "kind",
         "A capability byte (its lowest bit counts) or a scalar",
         [](const Row &row) -> Value {
             return row.byte ? Value(Word(*row.byte ? "byte" : "scalar")) : Value(Nothing());
         },
         jsonOf([](const Row &row) { return optionalJson(row.byte); })},
        {kNumber | kDocument | kTerminal, "value", "Value on the chip; unknown is never taken as 0",
         [](const Row &row) { return halCell(row.value); }, unknownAs("unknown"),
         jsonOf(halValueJson)},
        {kWindow, "first", "Value on the first chip; unknown is never taken as 0",
         [](const Row &row) { return halCell(row.value); }, unknownAs("unknown"),
         originOf([](const Row &row) { return readFor(row.value); })},
        {kWindow, "second", "Value on the second chip",
         [](const Row &row) -> Value { return row.other ? halCell(*row.other) : Value(Nothing()); },
         unknownAs("unknown"),
         originOf([](const Row &row) { return row.other ? readFor(*row.other) : std::string(); })},
        {kDocument, "bit", "The lowest bit of a capability byte", nullptr, jsonOf(halBitJson)},
        {kDocument | kTerminal, "scope", "known for",
         "Target or family that the value was read for; * is every chip",
         [](const Row &row) { return orNothing(row.value.scope); }},
        {kName, "source", "Where the value is documented",
         [](const Row &row) -> Value { return knownOf(row).source; }},
        {kDocument | kWindow, "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(knownOf(row).confidence); }},
        {kDocument, "note", "Note on the field",
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
        {"floor", "Name of the MinimumFamily trait",
         [](const Row &row) -> Value { return View(row.floor->floor); }},
        {"family", "The first family that reaches it",
         [](const Row &row) -> Value { return View(row.floor->family); }},
        {"reached", "Whether the chip's family does",
         [](const Row &row) { return known(row.reached); }, unknownAs("unknown")},
        {"operations", "Operations that ask for it",
         [](const Row &row) -> Value { return View(row.floor->operations); }},
        {"source", "Where the floor is documented",
         [](const Row &row) -> Value { return View(row.floor->source); }},
        {kDocument, "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row.floor->confidence); }},
        {kDocument, "note", "Note on the row",
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
        {"place", "Where the fact was read, or that it is a rule", member<&Row::place>},
        {"name", "fact", "What it says", member<&Row::name>},
        {"value", "Its value on the chip", member<&Row::value>},
        {kName, "source", "Where it is documented", member<&Row::source>},
        {kDocument, "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row.confidence); }},
        {kDocument, "note", "Note on the rule",
         [](const Row &row) -> Value { return row.note ? Value(*row.note) : Value(Absent()); }},
    };
    static const TableOf<Row> kTable{"chip-facts", kColumns};
    return kTable;
}

namespace {

/// "16 *": the star says that sources disagree.
Value figureOf(const target::Target &target, std::string_view fact,
               const std::optional<unsigned> &value)
{
    const char *mark = target::isContested(target, fact) ? " *" : "";
    if (!value)
        return *mark == '\0' ? Value(Unknown()) : Value(std::string("? *"));
    return Written{static_cast<double>(*value), fmt::format("{}{}", *value, mark)};
}

Json claimsDocument(const ChipFacts &chip)
{
    Json facts = Json::object();
    for (const char *fact : {"cores", "descriptor_version", "hardware_version", "family",
                             "family_index", "cpusubtype", "product"}) {
        for (const target::Claim &claim : target::claims(*chip, fact)) {
            Json row;
            row["value"] = claim.value;
            row["default"] = claim.byDefault;
            row["source"] = claim.source;
            row["confidence"] = format::confidenceName(claim.confidence);
            if (!claim.note.empty())
                row["note"] = claim.note;
            facts[fact].push_back(std::move(row));
        }
    }
    return facts;
}

const target::DeviceBucket *bucketOf(const ChipFacts &chip)
{
    return chip->cores ? target::deviceBucket(*chip->cores) : nullptr;
}

} // namespace

const TableOf<ChipFacts> &chipTable()
{
    using Row = ChipFacts;
    static constexpr Column<Row> kColumns[] = {
        {"name", "target", "Name of the chip",
         [](const Row &row) -> Value { return View(row->name); }},
        {kName, "aliases", "names", "Other names that mean it",
         [](const Row &row) -> Value { return List(row->aliases); }},
        {kDocument, "contested_names", "contested names",
         "Names by which some sources mean it and others another chip", nullptr,
         jsonOf([](const Row &row) { return Json(target::contestedNames(*row)); })},
        {kName, "silicon", "Product that it is in",
         [](const Row &row) -> Value {
             return target::isContested(*row, "product") ? row->silicon + " *" : row->silicon;
         },
         jsonOf([](const Row &row) { return Json(row->silicon); })},
        {"family", "Family by which rules name it",
         [](const Row &row) {
             return row->family.empty() ? Value(Unknown()) : Value(View(row->family));
         },
         unknownAs("?")},
        {kNumber, "cores", "Engine cores",
         [](const Row &row) { return figureOf(*row, "cores", row->cores); }, unknownAs("?"),
         jsonOf([](const Row &row) { return optionalJson(row->cores); })},
        {kNumber, "cpusubtype", "Number in the header of its containers",
         [](const Row &row) { return figureOf(*row, "cpusubtype", row->cpuSubtype); },
         unknownAs("?"), jsonOf([](const Row &row) { return optionalJson(row->cpuSubtype); })},
        {kNumber, "descriptor_version", "descriptor", "Version of its task descriptors",
         [](const Row &row) {
             return figureOf(*row, "descriptor_version", row->descriptorVersion);
         },
         unknownAs("?"),
         jsonOf([](const Row &row) { return optionalJson(row->descriptorVersion); })},
        {kNumber, "hardware_version", "hardware", "Hardware version that the compiler knows it by",
         [](const Row &row) { return figureOf(*row, "hardware_version", row->hardwareVersion); },
         unknownAs("?"), jsonOf([](const Row &row) { return optionalJson(row->hardwareVersion); })},
        {kDocument, "kind", "Silicon, reference, legacy or embedded",
         [](const Row &row) -> Value { return View(row->kind); }},
        {kDocument, "since", "Compiler that first knows it",
         [](const Row &row) -> Value { return View(row->since); }},
        {kDocument, "family_index", "family index", "Number of its family", nullptr,
         jsonOf([](const Row &row) { return optionalJson(row->familyIndex); })},
        {"device_bucket", "device class", "Class of devices with that many cores",
         [](const Row &row) -> Value {
             const auto *bucket = bucketOf(row);
             if (bucket == nullptr)
                 return Unknown();
             return fmt::format("{}{}", bucket->bucket,
                                bucket->peak ? fmt::format(", peak {}", *bucket->peak)
                                             : std::string());
         },
         unknownAs("?"), jsonOf([](const Row &row) {
             const auto *bucket = bucketOf(row);
             return bucket != nullptr ? Json(bucket->bucket) : noKey();
         })},
        {kDocument, "device_peak_units", "peak units",
         "Peak of that class, in the compiler's units", nullptr, jsonOf([](const Row &row) {
             const auto *bucket = bucketOf(row);
             return bucket != nullptr ? optionalJson(bucket->peak) : noKey();
         })},
        {kDocument, "source", "Where the row is documented",
         [](const Row &row) -> Value { return View(row->source); }},
        {kDocument, "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row->confidence); }},
        {kDocument, "claims", "What each source says of a contested fact", nullptr,
         jsonOf(claimsDocument)},
        {kDocument, "note", "What else is known of the chip", nullptr,
         jsonOf([](const Row &row) { return row->note.empty() ? noKey() : Json(row->note); })},
    };
    static const TableOf<Row> kTable{"chip_list",
                                     kColumns,
                                     {"name", "kind", "since", "aliases", "silicon", "family",
                                      "family_index", "hardware_version", "cpusubtype",
                                      "descriptor_version", "cores"}};
    return kTable;
}

namespace {

template <std::size_t TargetTotals::*Member>
Value countOf(const TargetTotals &row)
{
    return Count{row.*Member};
}

/// A sum of nothing that is known says nothing.
Value movedOf(const TargetTotals &row)
{
    if (row.movedOpen != 0 && row.bytesMoved == 0)
        return Unknown();
    return sumText(grouped(row.bytesMoved), row.movedOpen);
}

} // namespace

const TableOf<TargetTotals> &targetTotalsTable()
{
    using Row = TargetTotals;
    static constexpr Column<Row> kColumns[] = {
        {"target", "chip", "Chip that the weights are judged for",
         [](const TargetTotals &row) { return Value(View(row.target->name)); }},
        {kNumber, "streams", "Weights that the engine reads in their stored form",
         countOf<&TargetTotals::streams>},
        {kNumber, "folds", "Weights that the compiler writes out dense",
         countOf<&TargetTotals::folds>},
        {kNumber, "dense", "Weights that are stored dense", countOf<&TargetTotals::dense>},
        {kNumber, "rejected", "Weights that the compiler refuses",
         countOf<&TargetTotals::rejected>},
        {kNumber, "unknown", "Weights for which nothing is known", countOf<&TargetTotals::unknown>},
        {kNumber, "moved", "moved a dispatch",
         "Bytes of weights that one dispatch moves, as far as known", movedOf, withUnit("B"),
         unknownAs("?")},
    };
    static const TableOf<Row> kTable{"chips", kColumns};
    return kTable;
}

Json figureJson(const target::ChosenFigure &figure)
{
    Json json;
    json["value"] = optionalJson(figure.value);
    json["source"] = figure.source;
    json["confidence"] = format::confidenceName(figure.confidence);
    json["contested"] = figure.contested;
    return json;
}

Json targetJson(const target::Target &target)
{
    return jsonObject(chipTable(), &target);
}

Json chosenTargetJson(const target::Target &target, const target::TargetChoice &choice,
                      const target::NamedTarget *named)
{
    Json json;
    json["name"] = target.name;
    json["silicon"] = target.silicon;
    if (const auto cores = target::cores(target, choice))
        json["cores"] = figureJson(*cores);
    if (const auto version = target::descriptorVersion(target, choice))
        json["descriptor_version"] = figureJson(*version);
    json["others"] = Json::array();
    if (!named)
        return json;
    if (!named->source.empty())
        json["named_by"] = named->source;
    for (const auto &other : named->others) {
        Json row;
        row["name"] = other.target->name;
        row["source"] = other.source;
        json["others"].push_back(std::move(row));
    }
    return json;
}

} // namespace kernscope::report
