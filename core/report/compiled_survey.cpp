// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compiled_survey.h"

#include "core/report/json.h"
#include "core/report/json_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using coreai_cache::Fact;
using coreai_cache::Part;
using coreai_cache::Place;
using coreai_cache::Survey;

constexpr std::array<std::string_view, 5> kDecimalUnits{"bytes", "kB", "MB", "GB", "TB"};

/// The unit in which a number of bytes has at most three digits before the point.
std::size_t decimalUnit(std::uint64_t bytes)
{
    std::size_t unit = 0;
    for (double rest = static_cast<double>(bytes); rest >= 999.5 && unit + 1 < kDecimalUnits.size();
         rest /= 1000)
        ++unit;
    return unit;
}

/// Three digits without zeros at the end: "48.8", "500".
std::string inUnit(std::uint64_t bytes, std::size_t unit)
{
    double number = static_cast<double>(bytes);
    for (std::size_t i = 0; i < unit; ++i)
        number /= 1000;
    std::string text = fmt::format("{:.{}f}", number,
                                   number >= 99.95   ? 0
                                   : number >= 9.995 ? 1
                                                     : 2);
    if (text.find('.') != std::string::npos)
        text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text;
}

Word layoutConfidence(format::Confidence confidence)
{
    return Word(format::confidenceName(confidence));
}

} // namespace

const TableOf<Part> &compiledPartTable()
{
    static const TableOf<Part> table(
        "compiled_parts",
        {{"role", "What it is", member<&Part::role>},
         {kName, "name", "Name of the region, else the file", member<&Part::name>},
         {kNumber, "bytes", "Bytes of its files", member<&Part::bytes, Count>, withUnit("B")},
         {"place", "Where it lies",
          [](const Part &row) -> Value {
              return Word(coreai_cache::placeName(row.place),
                          row.place == Place::Unknown ? Mark::Open : Mark::None,
                          row.refused ? "refused by the engine"
                          : row.again ? "beside its regions, not counted twice"
                                      : "");
          }},
         {"architectures", "architecture", "Architectures that a region was compiled for",
          [](const Part &row) -> Value {
              return row.architectures.empty()
                         ? Value(Nothing())
                         : Value(fmt::format("{}", fmt::join(row.architectures, " ")));
          }},
         {kDocument, "file", "Its first file", member<&Part::file>},
         {kDocument, "refused", "Whether the engine refused it",
          [](const Part &row) -> Value { return row.refused; }},
         {"confidence", "How sure the layout is",
          [](const Part &row) -> Value { return layoutConfidence(row.confidence); }},
         {kDocument, "source", "Where the layout is from",
          [](const Part &row) -> Value { return orNothing(row.source); }}});
    return table;
}

const TableOf<Fact> &compiledFactTable()
{
    static const TableOf<Fact> table(
        "compiled_facts",
        {{"what", "What is said", member<&Fact::what>},
         {"of", "Of which architecture or entry",
          [](const Fact &row) -> Value { return orNothing(row.of); }},
         {kName, "value", "As it is written", member<&Fact::value>},
         {"note", "What it means",
          [](const Fact &row) -> Value {
              return row.what == "region hash" && coreai_cache::isRefused(row.value)
                         ? Value(Word("hash of nothing: refused by the engine", Mark::Bad))
                         : Value(Absent());
          }},
         {kName, "file", "Where it stands", member<&Fact::file>},
         {"confidence", "How sure the layout is",
          [](const Fact &row) -> Value { return layoutConfidence(row.confidence); }},
         {kDocument, "source", "Where the layout is from", member<&Fact::source>}});
    return table;
}

std::string surveySentence(const Survey &survey)
{
    const std::size_t unit = decimalUnit(survey.bytes);
    std::string engine = inUnit(survey.engineBytes, unit);
    const std::size_t own = decimalUnit(survey.engineBytes);
    if (engine == "0" && survey.engineBytes > 0)
        engine = fmt::format("{} {}", inUnit(survey.engineBytes, own), kDecimalUnits[own]);
    const std::size_t regions = survey.count("region", Place::Engine),
                      containers = survey.count("hardware container", Place::Engine);
    std::string in = regions > 0      ? counted(regions, "region")
                     : containers > 0 ? counted(containers, "hardware container")
                                      : "no region";
    if (regions > 0 && containers > 0)
        in += " and " + counted(containers, "hardware container");
    if (survey.refused() > 0)
        in += fmt::format("; {} refused by the engine", survey.refused());
    return fmt::format("{} of {} {} lie on the engine, in {}", engine, inUnit(survey.bytes, unit),
                       kDecimalUnits[unit], in);
}

std::string compiledFromText(const SurveyedPackage &package)
{
    return !package.compiledFrom   ? "unknown: no source hash of 64 digits is told"
           : *package.compiledFrom ? "yes"
                                   : "no";
}

Json surveyDocument(const Survey &survey, const std::optional<SurveyedPackage> &package)
{
    Json json = document("survey");
    Json &own = json["survey"];
    own["sentence"] = surveySentence(survey);
    own["bytes"] = numberJson(survey.bytes);
    own["engine_bytes"] = numberJson(survey.engineBytes);
    own["files"] = survey.files;
    own["regions"] = survey.count("region", Place::Engine);
    own["refused"] = survey.refused();
    if (package) {
        own["against"] = package->path;
        own["against_hash"] = package->hash;
        own["compiled_from"] = optionalJson(package->compiledFrom);
    }
    own["parts"] = jsonArray(compiledPartTable(), survey.parts);
    own["facts"] = jsonArray(compiledFactTable(), survey.facts);
    return json;
}

} // namespace kernscope::report
