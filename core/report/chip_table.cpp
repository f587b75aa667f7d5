// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_table.h"

#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/target/registry.h"
#include "core/target/rules.h"

#include <string>

#include <fmt/format.h>

namespace kernscope::report {

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
        {kName, "silicon", "silicon", "Product that it is in",
         [](const Row &row) -> Value {
             return target::isContested(*row, "product") ? row->silicon + " *" : row->silicon;
         },
         jsonOf([](const Row &row) { return Json(row->silicon); })},
        {"family", "family", "Family by which rules name it",
         [](const Row &row) {
             return row->family.empty() ? Value(Unknown()) : Value(View(row->family));
         },
         unknownAs("?")},
        {kNumber, "cores", "cores", "Engine cores",
         [](const Row &row) { return figureOf(*row, "cores", row->cores); }, unknownAs("?"),
         jsonOf([](const Row &row) { return optionalJson(row->cores); })},
        {kNumber, "cpusubtype", "cpusubtype", "Number in the header of its containers",
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
        {kDocument, "kind", "kind", "Silicon, reference, legacy or embedded",
         [](const Row &row) -> Value { return View(row->kind); }},
        {kDocument, "since", "since", "Compiler that first knows it",
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
        {kDocument, "source", "source", "Where the row is documented",
         [](const Row &row) -> Value { return View(row->source); }},
        {kDocument, "confidence", "confidence", "How well it is known",
         [](const Row &row) { return confidenceValue(row->confidence); }},
        {kDocument, "claims", "claims", "What each source says of a contested fact", nullptr,
         jsonOf(claimsDocument)},
        {kDocument, "note", "note", "What else is known of the chip", nullptr,
         jsonOf([](const Row &row) { return row->note.empty() ? noKey() : Json(row->note); })},
    };
    static const TableOf<Row> kTable{"chip_list",
                                     kColumns,
                                     {"name", "kind", "since", "aliases", "silicon", "family",
                                      "family_index", "hardware_version", "cpusubtype",
                                      "descriptor_version", "cores"}};
    return kTable;
}

} // namespace kernscope::report
