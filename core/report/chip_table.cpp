// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_table.h"

#include "core/report/fact_values.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/target/registry.h"
#include "core/target/rules.h"

#include <string>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr auto kChipNumber = TextTable::Align::Right;

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

std::vector<Column<ChipFacts>> chipNames()
{
    using Row = ChipFacts;
    return {{.key = "name",
             .title = "target",
             .explanation = "Name of the chip",
             .value = [](const Row &row) -> Value { return View(row->name); }},
            {.key = "aliases",
             .title = "names",
             .explanation = "Other names that mean it",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return List(row->aliases); }},
            {.key = "contested_names",
             .title = "contested names",
             .explanation = "Names by which some sources mean it and others another chip",
             .shown = kDocument,
             .document = [](const Row &row) { return Json(target::contestedNames(*row)); }},
            {.key = "silicon",
             .title = "silicon",
             .explanation = "Product that it is in",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value {
                 return target::isContested(*row, "product") ? row->silicon + " *" : row->silicon;
             },
             .document = [](const Row &row) { return Json(row->silicon); }},
            {.key = "family",
             .title = "family",
             .explanation = "Family by which rules name it",
             .unknown = "?",
             .value = [](const Row &row) {
                 return row->family.empty() ? Value(Unknown()) : Value(View(row->family));
             }}};
}

std::vector<Column<ChipFacts>> chipFigures()
{
    using Row = ChipFacts;
    return {{.key = "cores",
             .title = "cores",
             .explanation = "Engine cores",
             .align = kChipNumber,
             .unknown = "?",
             .value = [](const Row &row) { return figureOf(*row, "cores", row->cores); },
             .document = [](const Row &row) { return optionalJson(row->cores); }},
            {.key = "cpusubtype",
             .title = "cpusubtype",
             .explanation = "Number in the header of its containers",
             .align = kChipNumber,
             .unknown = "?",
             .value = [](const Row &row) { return figureOf(*row, "cpusubtype", row->cpuSubtype); },
             .document = [](const Row &row) { return optionalJson(row->cpuSubtype); }},
            {.key = "descriptor_version",
             .title = "descriptor",
             .explanation = "Version of its task descriptors",
             .align = kChipNumber,
             .unknown = "?",
             .value =
                 [](const Row &row) {
                     return figureOf(*row, "descriptor_version", row->descriptorVersion);
                 },
             .document = [](const Row &row) { return optionalJson(row->descriptorVersion); }},
            {.key = "hardware_version",
             .title = "hardware",
             .explanation = "Hardware version that the compiler knows it by",
             .align = kChipNumber,
             .unknown = "?",
             .value =
                 [](const Row &row) {
                     return figureOf(*row, "hardware_version", row->hardwareVersion);
                 },
             .document = [](const Row &row) { return optionalJson(row->hardwareVersion); }}};
}

/// What only the JSON document has of a chip.
std::vector<Column<ChipFacts>> chipKindColumns()
{
    using Row = ChipFacts;
    return {{.key = "kind",
             .title = "kind",
             .explanation = "Silicon, reference, legacy or embedded",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return View(row->kind); }},
            {.key = "since",
             .title = "since",
             .explanation = "Compiler that first knows it",
             .shown = kDocument,
             .value = [](const Row &row) -> Value { return View(row->since); }},
            {.key = "family_index",
             .title = "family index",
             .explanation = "Number of its family",
             .shown = kDocument,
             .document = [](const Row &row) { return optionalJson(row->familyIndex); }},
            {.key = "device_bucket",
             .title = "device class",
             .explanation = "Class of devices with that many cores",
             .unknown = "?",
             .value = [](const Row &row) -> Value {
                 const auto *bucket = bucketOf(row);
                 if (bucket == nullptr)
                     return Unknown();
                 return fmt::format("{}{}", bucket->bucket,
                                    bucket->peak ? fmt::format(", peak {}", *bucket->peak)
                                                 : std::string());
             },
             .document =
                 [](const Row &row) {
                     const auto *bucket = bucketOf(row);
                     return bucket != nullptr ? Json(bucket->bucket) : noKey();
                 }},
            {.key = "device_peak_units",
             .title = "peak units",
             .explanation = "Peak of that class, in the compiler's units",
             .shown = kDocument,
             .document = [](const Row &row) {
                 const auto *bucket = bucketOf(row);
                 return bucket != nullptr ? optionalJson(bucket->peak) : noKey();
             }}};
}

std::vector<Column<ChipFacts>> chipSourceColumns()
{
    using Row = ChipFacts;
    return {
        {.key = "source",
         .title = "source",
         .explanation = "Where the row is documented",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row->source); }},
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How well it is known",
         .shown = kDocument,
         .value = [](const Row &row) { return confidenceValue(row->confidence); }},
        {.key = "claims",
         .title = "claims",
         .explanation = "What each source says of a contested fact",
         .shown = kDocument,
         .document = claimsDocument},
        {.key = "note",
         .title = "note",
         .explanation = "What else is known of the chip",
         .shown = kDocument,
         .document = [](const Row &row) { return row->note.empty() ? noKey() : Json(row->note); }}};
}

std::vector<Column<ChipFacts>> chipWords()
{
    return joinedColumns(chipKindColumns(), chipSourceColumns());
}

} // namespace

const TableOf<ChipFacts> &chipTable()
{
    static const TableOf<ChipFacts> kTable{"chip_list",
                                           joinedColumns(chipNames(), chipFigures(), chipWords()),
                                           {"name", "kind", "since", "aliases", "silicon", "family",
                                            "family_index", "hardware_version", "cpusubtype",
                                            "descriptor_version", "cores"}};
    return kTable;
}

} // namespace kernscope::report
