// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/report/byte_table.h"
#include "core/search/place.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using search::What;

constexpr std::uint64_t kMostPlaces = 100'000'000;

struct FindArguments {
    std::string path, weight, bytes, text, integer;
    unsigned width = 4;
    bool bigEndian = false, nan = false, infinite = false, outOfRange = false;
    double value = 0, tolerance = 0;
    std::uint64_t zeros = 1, zeroBytes = 1, largest = 1, limit = 10'000;
    CLI::Option *isBytes = nullptr, *isText = nullptr, *isInteger = nullptr, *isValue = nullptr,
                *isNan = nullptr, *isInfinite = nullptr, *isZeros = nullptr, *isZeroBytes = nullptr,
                *isLargest = nullptr, *isOutOfRange = nullptr, *hasTolerance = nullptr,
                *hasLimit = nullptr;
};

/// What is looked for, without the weight.
Result<search::Query> queryOf(const FindArguments &arguments)
{
    search::Query query;
    query.most = arguments.limit;
    if (*arguments.isBytes || *arguments.isText || *arguments.isInteger) {
        query.pattern =
            TRY(*arguments.isBytes  ? search::parseBytePattern(arguments.bytes)
                : *arguments.isText ? search::textPattern(arguments.text)
                                    : search::integerPattern(arguments.integer, arguments.width,
                                                             arguments.bigEndian));
        query.text = bool(*arguments.isText);
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
    } else if (arguments.outOfRange) {
        query.what = What::OutOfRange;
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

std::string foundText(const search::Query &query, const search::Found &found,
                      const std::vector<report::HitFacts> &rows)
{
    std::string text = rows.empty() ? std::string() : tableText(report::hitTable, rows);
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

/// Exactly one of the options that say what to look for.
void requireOneThing(const FindArguments &arguments)
{
    const CLI::Option *given = nullptr;
    for (const CLI::Option *option :
         {arguments.isBytes, arguments.isText, arguments.isInteger, arguments.isValue,
          arguments.isNan, arguments.isInfinite, arguments.isZeros, arguments.isZeroBytes,
          arguments.isLargest, arguments.isOutOfRange}) {
        if (!*option)
            continue;
        if (given)
            throw CLI::ExcludesError(given->get_name(), option->get_name());
        given = option;
    }
    if (!given)
        throw CLI::RequiredError("What to look for, such as --bytes or --value,");
}

int runFind(const FindArguments &arguments, Context &context)
{
    requireOneThing(arguments);
    auto query = required(queryOf(arguments).map_error(withCode("cli.option")));
    const auto bundle = required(openBundle(arguments.path));
    if (!arguments.weight.empty()) {
        const auto weight = required(findWeight(*bundle, arguments.weight));
        query.weight = weight;
    }
    context.progress.setTotal(search::workOf(*bundle, query));
    const Result<search::Found> found = [&] {
        const ProgressLine line(context, "Searching");
        return search::find(*bundle, query, &context.progress);
    }();
    checkInterrupt();
    if (!found) {
        // What was typed cannot be searched for: the rest was read and is sound.
        ErrorBuilder error(found.error());
        if (found.error().code == "search.pattern")
            error.code("cli.option");
        throw CommandFailure{error};
    }
    // What cannot be read was not searched: "nothing found" says nothing of it.
    Diagnostics diagnostics;
    if (query.weight == kNoIndex)
        diagnostics = bundle->diagnostics();
    diagnostics.insert(diagnostics.end(), found->diagnostics.begin(), found->diagnostics.end());
    const int answer = found->hits.empty() ? kDiffers : kDone;
    const int code = hasErrors(diagnostics) ? kBadInput : answer;
    const auto rows = report::hitRows(bundle, query, found->hits);
    printAnswer(
        context, diagnostics,
        [&] { return report::foundJson(arguments.path, *bundle, query, *found, rows); },
        [&] { return foundText(query, *found, rows); });
    return code;
}

void addWhat(CLI::App &command, FindArguments &arguments)
{
    arguments.isBytes = addOption(command, "--bytes", "PATTERN", arguments.bytes,
                                  "Stored bytes: pairs of hexadecimal digits, ? for any "
                                  "digit, as 'ef be ?? de'");
    arguments.isText =
        addOption(command, "--text", "TEXT", arguments.text, "Stored bytes: this text, UTF-8");
    arguments.isInteger = addOption(command, "--integer", "N", arguments.integer,
                                    "Stored bytes: an integer, decimal or 0x and hexadecimal");
    arguments.isValue =
        addOption(command, "--value", "X", arguments.value,
                  "Decoded elements that are what their weight's type makes of this number; "
                  "also inf and -inf");
    arguments.isNan =
        command.add_flag("--nan", arguments.nan, "Decoded elements that are not a number");
    arguments.isInfinite =
        command.add_flag("--infinite", arguments.infinite, "Decoded elements that are infinite");
    arguments.isZeros = addOption(command, "--zeros", "COUNT", arguments.zeros,
                                  "Runs of at least COUNT decoded elements that are 0, in the "
                                  "order of the elements");
    arguments.isZeroBytes = addOption(command, "--zero-bytes", "COUNT", arguments.zeroBytes,
                                      "Runs of at least COUNT stored bytes that are 0");
    for (CLI::Option *count : {arguments.isZeros, arguments.isZeroBytes})
        count->check(CLI::Range(std::uint64_t{1}, UINT64_MAX));
    arguments.isLargest = addOption(command, "--largest", "COUNT", arguments.largest,
                                    "COUNT decoded elements of the largest magnitude, the "
                                    "largest first")
                              ->check(CLI::Range(std::uint64_t{1}, kMostPlaces));
    arguments.isOutOfRange = command.add_flag(
        "--out-of-range", arguments.outOfRange,
        "Stored codes past the last entry of their codebook, and elements that a mask keeps "
        "without a stored value");
}

/// How an integer is stored, and how near a value must be.
void addHow(CLI::App &command, FindArguments &arguments)
{
    addOption(command, "--width", "1|2|4|8", arguments.width,
              "Bytes of the integer; 4 unless given")
        ->check(CLI::IsMember({1U, 2U, 4U, 8U}))
        ->needs(arguments.isInteger);
    command.add_flag("--big-endian", arguments.bigEndian, "The integer's highest byte comes first")
        ->needs(arguments.isInteger);
    arguments.hasTolerance =
        addOption(command, "--tolerance", "T", arguments.tolerance, "The value may be so far away")
            ->check(notNegative())
            ->needs(arguments.isValue);
}

constexpr std::uint64_t kMostBytesAsked = 1u << 20;

struct BytesArguments {
    std::string path, place, file;
    std::uint64_t count = 1;
};

std::size_t fileNamed(const Bundle &bundle, const std::string &name)
{
    if (name.empty())
        return search::mainFile(bundle);
    if (const auto file = bundle.fileByPath(name))
        return *file;
    std::vector<std::string> known;
    for (const BundleFile &file : bundle.files())
        known.push_back(file.path);
    const std::string nearest = nearestWord(name, known);
    throw CommandFailure{usageError("--file",
                                    nearest.empty() && !known.empty() ? known.front() : nearest,
                                    name, "The bundle has no such file")};
}

/// Where the place begins. `element`: that of the weight, if it is one.
search::BytePlace placeOf(const Bundle &bundle, const BytesArguments &arguments,
                          std::optional<std::uint64_t> &element)
{
    const auto file = fileNamed(bundle, arguments.file);
    return required(search::parsePlace(bundle, arguments.place, file)
                        .and_then([&](const search::TypedPlace &typed) {
                            element = typed.element;
                            return search::firstByte(bundle, typed);
                        })
                        .map_error([](Error error) -> Error {
                            return ErrorBuilder(std::move(error)).code("cli.option").field("PLACE");
                        }));
}

std::string byteFieldsText(const Bundle &bundle, std::size_t file, const ByteRange &range,
                           const std::vector<report::ByteFieldFacts> &fields,
                           const std::vector<report::ReadingFacts> &readings)
{
    std::string text = fmt::format("{}, {}\n", search::byteAddress(bundle, file, range.offset),
                                   counted(range.bytes.value, "byte"));
    if (!fields.empty()) {
        const Section &section = bundle.sections()[fields.front().field.section];
        text += fmt::format("section {} ({}), {:#x} to {:#x}\n", bundle.nameOf(section),
                            sectionKindName(section.kind), section.range.offset.value,
                            section.range.end() - 1);
    }
    text += heading("Fields") + tableText(report::byteFieldTable, fields);
    return text + heading(fmt::format("Read at {:#x}", range.offset.value)) +
           tableText(report::readingTable, readings);
}

int runBytes(BytesArguments arguments, Context &context)
{
    if (arguments.place.empty()) {
        search::PlaceLink link = search::splitLink(arguments.path);
        arguments.path = std::move(link.path);
        arguments.place = std::move(link.place);
    }
    const auto bundle = required(openBundle(arguments.path));
    std::optional<std::uint64_t> element;
    const auto place = placeOf(*bundle, arguments, element);
    const std::uint64_t size = bundle->files()[place.file].file->size().value;
    const ByteRange range{place.offset,
                          ByteCount(std::min(arguments.count, size - place.offset.value))};
    context.progress.setTotal(range.bytes.value);
    if (arguments.count > 1)
        element.reset(); // all that lie there
    const auto fields = [&] {
        const ProgressLine line(context, "Reading");
        return report::byteFieldRows(bundle, place.file, range, element, context.progress);
    }();
    checkInterrupt();
    const auto readings = report::readingRows(*bundle, place.file, place.offset);
    return printAnswer(
        context, bundle->diagnostics(),
        [&] {
            return report::bytesJson(arguments.path, *bundle, place.file, range, fields, readings);
        },
        [&] { return byteFieldsText(*bundle, place.file, range, fields, readings); });
}

} // namespace

void addFind(CLI::App &app, Context &context)
{
    const auto [command, arguments] =
        addCommand<FindArguments>(app, context, "find",
                                  "Find bytes, text, integers, values, runs of "
                                  "zeros and the largest; 1 where there are none",
                                  runFind);
    addPath(*command, arguments->path);
    addWhat(*command, *arguments);
    addHow(*command, *arguments);
    addOption(*command, "--weight", "NAME", arguments->weight, "Look only in this weight");
    arguments->hasLimit =
        addOption(*command, "--limit", "COUNT", arguments->limit,
                  "No more places than this; 10000 unless given, with --largest its COUNT")
            ->check(CLI::Range(std::uint64_t{1}, kMostPlaces));
    addSharedOptions(*command, context);
    addExamples(*command,
                {"find model.mlmodelc --bytes 'ef be ?? de'",
                 "find model.mlmodelc --value 0.25 --tolerance 0.001 --weight conv1_weight",
                 "find model.mlmodelc --nan", "find model.mlmodelc --out-of-range",
                 "find model.mlmodelc --largest 20", "find model.mlmodelc --zeros 1000 --json",
                 "find network.hwx --integer 0x4000 --width 4"});
}

void addBytes(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<BytesArguments>(
        app, context, "bytes", "What a byte is: its field, weight and element, and its readings",
        runBytes);
    addPath(*command, arguments->path,
            "Bundle folder, program, weight file or hardware container; also PATH#PLACE");
    addOption(*command, "place", "PLACE", arguments->place,
              "OFFSET, FILE:OFFSET, SECTION+OFFSET, WEIGHT+OFFSET, a section, a weight or "
              "WEIGHT[i,j]; offsets in bytes, decimal or 0x and hexadecimal");
    addOption(*command, "--file", "FILE", arguments->file,
              "File of the bundle that OFFSET is in; the first weight file unless given");
    addOption(*command, "--count", "N", arguments->count,
              "Fields of N bytes from there on; 1 unless given")
        ->check(CLI::Range(std::uint64_t{1}, kMostBytesAsked));
    addSharedOptions(*command, context);
    addExamples(*command, {"bytes model.mlmodelc 0x40", "bytes model.mlmodelc 0 --count 128",
                           "bytes model.mlmodelc 'conv1_weight[3,0,1,1]' --json",
                           "bytes model.mlmodelc 0x10 --file model.mil",
                           "bytes 'model.mlmodelc#weights/weight.bin:0x40'",
                           "bytes network.hwx 0x4000 --count 64"});
}

} // namespace kernscope::cli
