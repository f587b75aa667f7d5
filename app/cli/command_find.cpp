// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/report/json_values.h"
#include "core/search/find.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;
using search::What;

constexpr std::uint64_t kMostPlaces = 100'000'000;

struct FindArguments {
    std::string path, weight, bytes, text, integer;
    unsigned width = 4;
    bool bigEndian = false, nan = false, infinite = false;
    double value = 0, tolerance = 0;
    std::uint64_t zeros = 1, zeroBytes = 1, largest = 1, limit = 10'000;
    CLI::Option *isBytes = nullptr, *isText = nullptr, *isInteger = nullptr, *isValue = nullptr,
                *isNan = nullptr, *isInfinite = nullptr, *isZeros = nullptr, *isZeroBytes = nullptr,
                *isLargest = nullptr, *hasTolerance = nullptr, *hasLimit = nullptr;
};

/// "0.3", "inf", "nan": JSON has no numbers for the last two.
Json valueJson(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

/// What is looked for, without the weight.
Result<search::Query> queryOf(const FindArguments &arguments)
{
    search::Query query;
    query.most = arguments.limit;
    if (*arguments.isBytes || *arguments.isText || *arguments.isInteger) {
        auto pattern =
            *arguments.isBytes ? search::parseBytePattern(arguments.bytes)
            : *arguments.isText
                ? search::textPattern(arguments.text)
                : search::integerPattern(arguments.integer, arguments.width, arguments.bigEndian);
        if (!pattern)
            return tl::unexpected(std::move(pattern.error()));
        query.pattern = std::move(*pattern);
        return query;
    }
    if (*arguments.isValue) {
        query.what = What::Value;
        query.value = arguments.value;
        query.wide = search::wideInteger(arguments.isValue->results().front());
        if (*arguments.hasTolerance)
            query.tolerance = arguments.tolerance;
    } else if (arguments.nan || arguments.infinite) {
        query.what = arguments.nan ? What::NotANumber : What::Infinite;
    } else if (*arguments.isLargest) {
        query.what = What::Largest;
        query.most =
            *arguments.hasLimit ? std::min(arguments.largest, arguments.limit) : arguments.largest;
    } else {
        query.what = *arguments.isZeros ? What::ZeroValues : What::ZeroBytes;
        query.least = *arguments.isZeros ? arguments.zeros : arguments.zeroBytes;
    }
    return query;
}

std::string_view whatName(What what)
{
    switch (what) {
    case What::Bytes: return "bytes";
    case What::ZeroBytes: return "zero-bytes";
    case What::Value: return "value";
    case What::NotANumber: return "nan";
    case What::Infinite: return "infinite";
    case What::ZeroValues: return "zeros";
    case What::Largest: return "largest";
    }
    return "";
}

std::string weightName(const Bundle &bundle, std::size_t weight)
{
    return weight < bundle.weights().size() ? bundle.weights()[weight].findableName()
                                            : std::string();
}

std::string hexText(const Bundle &bundle, const search::Hit &hit, std::string_view between)
{
    constexpr std::uint64_t kMostBytes = 16;
    const auto bytes = bundle.files()[hit.file].file->bytes().subspan(
        hit.bytes.offset.value, std::min(hit.bytes.bytes.value, kMostBytes));
    std::string text;
    for (const std::byte byte : bytes)
        text += fmt::format("{}{:02x}", text.empty() ? "" : between, static_cast<unsigned>(byte));
    return text;
}

Json hitJson(const Bundle &bundle, const search::Hit &hit, What what)
{
    Json json;
    const std::string weight = weightName(bundle, hit.weight);
    if (hit.element) {
        const Weight &found = bundle.weights()[hit.weight];
        json["place"] = search::elementAddress(found, *hit.element);
        json["weight"] = weight;
        json["element"] = report::numberJson(*hit.element);
        if (what == What::ZeroValues)
            json["count"] = report::numberJson(hit.count);
        json["value"] = hit.wide ? Json(hit.valueText()) : valueJson(hit.value.value_or(0));
        return json;
    }
    json["place"] = search::byteAddress(bundle, hit);
    json["file"] = bundle.files()[hit.file].path;
    json["offset"] = report::numberJson(hit.bytes.offset.value);
    json["bytes"] = report::numberJson(hit.bytes.bytes.value);
    if (hit.section < bundle.sections().size())
        json["section"] = bundle.sections()[hit.section].name;
    json["weight"] = weight.empty() ? Json(nullptr) : Json(weight);
    if (what == What::Bytes)
        json["hex"] = hexText(bundle, hit, "");
    return json;
}

Json foundJson(const FindArguments &arguments, const Bundle &bundle, const search::Query &query,
               const search::Found &found)
{
    Json document = report::document("find");
    document["path"] = arguments.path;
    document["what"] = whatName(query.what);
    document["weight"] =
        query.weight == kNoIndex ? Json(nullptr) : Json(weightName(bundle, query.weight));
    document["found"] = found.hits.size();
    document["complete"] = found.complete;
    Json &hits = document["hits"] = Json::array();
    for (const search::Hit &hit : found.hits)
        hits.push_back(hitJson(bundle, hit, query.what));
    return document;
}

std::string foundText(const Bundle &bundle, const search::Query &query, const search::Found &found)
{
    const bool elements = search::ofElements(query.what);
    const bool runs = query.what == What::ZeroValues || query.what == What::ZeroBytes;
    std::vector<Table::Column> columns{{"place", Table::Align::Name}};
    if (!elements)
        columns.push_back({"section", Table::Align::Name});
    if (runs)
        columns.push_back({elements ? "elements" : "bytes", Table::Align::Right});
    else
        columns.push_back(
            {elements ? "value" : "bytes", elements ? Table::Align::Right : Table::Align::Left});
    Table table(columns);
    for (const search::Hit &hit : found.hits) {
        std::vector<std::string> cells{
            printable(elements ? search::elementAddress(bundle.weights()[hit.weight], *hit.element)
                               : search::byteAddress(bundle, hit))};
        if (!elements)
            cells.push_back(hit.section < bundle.sections().size()
                                ? printable(bundle.sections()[hit.section].name)
                                : std::string());
        if (runs)
            cells.push_back(grouped(elements ? hit.count : hit.bytes.bytes.value));
        else
            cells.push_back(elements ? hit.valueText() : hexText(bundle, hit, " "));
        table.add(std::move(cells));
    }
    std::string text = table.empty() ? std::string() : table.text();
    if (found.hits.empty())
        text += "nothing found\n";
    else if (found.complete)
        text += fmt::format("{} found\n", grouped(found.hits.size()));
    else if (query.what == What::Largest)
        text += fmt::format("the {} of largest magnitude\n", grouped(found.hits.size()));
    else
        text +=
            fmt::format("the first {}; there may be more (--limit)\n", grouped(found.hits.size()));
    return text;
}

int runFind(const FindArguments &arguments, Session &session)
{
    auto query = queryOf(arguments);
    if (!query) {
        query.error().code = "cli.option";
        return reportFailure(session, "find", query.error());
    }
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(session, "find", bundle.error());
    if (!arguments.weight.empty()) {
        const auto weight = findWeight(**bundle, arguments.weight);
        if (!weight)
            return reportFailure(session, "find", weight.error());
        query->weight = *weight;
    }
    session.progress.setTotal(search::workOf(**bundle, *query));
    Result<search::Found> found = [&] {
        const ProgressLine line(session, "Searching");
        return search::find(**bundle, *query, &session.progress);
    }();
    if (interrupted())
        return reportStopped(session, "find");
    if (!found) {
        // What was typed cannot be searched for: the rest was read and is sound.
        if (found.error().code == "search.pattern")
            found.error().code = "cli.option";
        return reportFailure(session, "find", found.error());
    }
    // What cannot be read was not searched: "nothing found" says nothing of it.
    Diagnostics diagnostics;
    if (query->weight == kNoIndex)
        diagnostics = (*bundle)->diagnostics();
    diagnostics.insert(diagnostics.end(), found->diagnostics.begin(), found->diagnostics.end());
    const int answer = found->hits.empty() ? kDiffers : kDone;
    const int code = hasErrors(diagnostics) ? kBadInput : answer;
    if (session.json) {
        Json document = foundJson(arguments, **bundle, *query, *found);
        printDocument(session, document, diagnostics);
        return code;
    }
    if (!session.quiet)
        print(foundText(**bundle, *query, *found));
    printDiagnostics(session, diagnostics);
    return code;
}

void addWhat(CLI::App &command, FindArguments &arguments)
{
    arguments.isBytes = command
                            .add_option("--bytes", arguments.bytes,
                                        "Stored bytes: pairs of hexadecimal digits, ? for any "
                                        "digit, as 'ef be ?? de'")
                            ->type_name("PATTERN");
    arguments.isText =
        command.add_option("--text", arguments.text, "Stored bytes: this text, UTF-8")
            ->type_name("TEXT");
    arguments.isInteger = command
                              .add_option("--integer", arguments.integer,
                                          "Stored bytes: an integer, decimal or 0x and hexadecimal")
                              ->type_name("N");
    arguments.isValue =
        command
            .add_option("--value", arguments.value,
                        "Decoded elements that are what their weight's type makes of this number; "
                        "also inf and -inf")
            ->type_name("X");
    arguments.isNan =
        command.add_flag("--nan", arguments.nan, "Decoded elements that are not a number");
    arguments.isInfinite =
        command.add_flag("--infinite", arguments.infinite, "Decoded elements that are infinite");
    arguments.isZeros = command
                            .add_option("--zeros", arguments.zeros,
                                        "Runs of at least so many decoded elements that are 0, in "
                                        "the order of the elements")
                            ->type_name("COUNT");
    arguments.isZeroBytes = command
                                .add_option("--zero-bytes", arguments.zeroBytes,
                                            "Runs of at least so many stored bytes that are 0")
                                ->type_name("COUNT");
    for (CLI::Option *count : {arguments.isZeros, arguments.isZeroBytes})
        count->check(CLI::Range(std::uint64_t{1}, UINT64_MAX));
    arguments.isLargest = command
                              .add_option("--largest", arguments.largest,
                                          "So many decoded elements of the largest magnitude, the "
                                          "largest first")
                              ->type_name("COUNT")
                              ->check(CLI::Range(std::uint64_t{1}, kMostPlaces));
    command.add_option("--width", arguments.width, "Bytes of the integer; 4 unless given")
        ->type_name("1|2|4|8")
        ->check(CLI::IsMember({1U, 2U, 4U, 8U}))
        ->needs(arguments.isInteger);
    command.add_flag("--big-endian", arguments.bigEndian, "The integer's highest byte comes first")
        ->needs(arguments.isInteger);
    arguments.hasTolerance =
        command.add_option("--tolerance", arguments.tolerance, "The value may be so far away")
            ->type_name("T")
            ->check(CLI::NonNegativeNumber)
            ->needs(arguments.isValue);
}

/// Exactly one of the options that say what to look for.
void requireOneThing(const FindArguments &arguments)
{
    const CLI::Option *given = nullptr;
    for (const CLI::Option *option :
         {arguments.isBytes, arguments.isText, arguments.isInteger, arguments.isValue,
          arguments.isNan, arguments.isInfinite, arguments.isZeros, arguments.isZeroBytes,
          arguments.isLargest}) {
        if (!*option)
            continue;
        if (given)
            throw CLI::ExcludesError(given->get_name(), option->get_name());
        given = option;
    }
    if (!given)
        throw CLI::RequiredError("What to look for, such as --bytes or --value,");
}

} // namespace

void addFind(CLI::App &app, Session &session)
{
    CLI::App *command = app.add_subcommand("find", "Find bytes, text, integers, values, runs of "
                                                   "zeros and the largest; 1 where there are none");
    auto arguments = std::make_shared<FindArguments>();
    command->add_option("path", arguments->path, "Bundle folder, program or weight file")
        ->required()
        ->type_name("PATH");
    addWhat(*command, *arguments);
    command->add_option("--weight", arguments->weight, "Look only in this weight")
        ->type_name("NAME");
    arguments->hasLimit =
        command
            ->add_option("--limit", arguments->limit,
                         "No more places than this; 10000 unless given, with --largest its COUNT")
            ->type_name("COUNT")
            ->check(CLI::Range(std::uint64_t{1}, kMostPlaces));
    addSharedOptions(*command, session);
    addExamples(*command,
                {"find model.mlmodelc --bytes 'ef be ?? de'",
                 "find model.mlmodelc --value 0.25 --tolerance 0.001 --weight conv1_weight",
                 "find model.mlmodelc --nan", "find model.mlmodelc --largest 20",
                 "find model.mlmodelc --zeros 1000 --json",
                 "find network.hwx --integer 0x4000 --width 4"});
    command->callback([arguments, &session] {
        requireOneThing(*arguments);
        session.exitCode = runFind(*arguments, session);
    });
}

} // namespace kernscope::cli
