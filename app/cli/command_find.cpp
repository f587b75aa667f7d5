// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/report/search_table.h"
#include "core/search/find.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
        auto pattern =
            *arguments.isBytes ? search::parseBytePattern(arguments.bytes)
            : *arguments.isText
                ? search::textPattern(arguments.text)
                : search::integerPattern(arguments.integer, arguments.width, arguments.bigEndian);
        if (!pattern)
            return tl::unexpected(std::move(pattern.error()));
        query.pattern = std::move(*pattern);
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
    std::string text =
        rows.empty() ? std::string() : terminalText(textTable(report::hitTable(), rows));
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

int runFind(const FindArguments &arguments, Context &context)
{
    auto query = queryOf(arguments).map_error(withCode("cli.option"));
    if (!query)
        return reportFailure(context, "find", query.error());
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(context, "find", bundle.error());
    if (!arguments.weight.empty()) {
        const auto weight = findWeight(**bundle, arguments.weight);
        if (!weight)
            return reportFailure(context, "find", weight.error());
        query->weight = *weight;
    }
    context.progress.setTotal(search::workOf(**bundle, *query));
    const Result<search::Found> found = [&] {
        const ProgressLine line(context, "Searching");
        return search::find(**bundle, *query, &context.progress);
    }();
    if (interrupted())
        return reportStopped(context, "find");
    if (!found) {
        // What was typed cannot be searched for: the rest was read and is sound.
        ErrorBuilder error(found.error());
        if (found.error().code == "search.pattern")
            error.code("cli.option");
        return reportFailure(context, "find", error);
    }
    // What cannot be read was not searched: "nothing found" says nothing of it.
    Diagnostics diagnostics;
    if (query->weight == kNoIndex)
        diagnostics = (*bundle)->diagnostics();
    diagnostics.insert(diagnostics.end(), found->diagnostics.begin(), found->diagnostics.end());
    const int answer = found->hits.empty() ? kDiffers : kDone;
    const int code = hasErrors(diagnostics) ? kBadInput : answer;
    const auto rows = report::hitRows(*bundle, *query, found->hits);
    if (context.json) {
        report::Json document = report::foundJson(arguments.path, **bundle, *query, *found, rows);
        printDocument(context, document, diagnostics);
        return code;
    }
    if (!context.quiet)
        print(foundText(*query, *found, rows));
    printDiagnostics(context, diagnostics);
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
    arguments.isOutOfRange = command.add_flag(
        "--out-of-range", arguments.outOfRange,
        "Stored codes past the last entry of their codebook, and elements that a mask keeps "
        "without a stored value");
}

/// How an integer is stored, and how near a value must be.
void addHow(CLI::App &command, FindArguments &arguments)
{
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

} // namespace

void addFind(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand("find", "Find bytes, text, integers, values, runs of "
                                                   "zeros and the largest; 1 where there are none");
    auto arguments = std::make_shared<FindArguments>();
    command->add_option("path", arguments->path, "Bundle folder, program or weight file")
        ->required()
        ->type_name("PATH");
    addWhat(*command, *arguments);
    addHow(*command, *arguments);
    command->add_option("--weight", arguments->weight, "Look only in this weight")
        ->type_name("NAME");
    arguments->hasLimit =
        command
            ->add_option("--limit", arguments->limit,
                         "No more places than this; 10000 unless given, with --largest its COUNT")
            ->type_name("COUNT")
            ->check(CLI::Range(std::uint64_t{1}, kMostPlaces));
    addSharedOptions(*command, context);
    addExamples(*command,
                {"find model.mlmodelc --bytes 'ef be ?? de'",
                 "find model.mlmodelc --value 0.25 --tolerance 0.001 --weight conv1_weight",
                 "find model.mlmodelc --nan", "find model.mlmodelc --out-of-range",
                 "find model.mlmodelc --largest 20", "find model.mlmodelc --zeros 1000 --json",
                 "find network.hwx --integer 0x4000 --width 4"});
    command->callback([arguments, &context] {
        requireOneThing(*arguments);
        context.exitCode = runFind(*arguments, context);
    });
}

} // namespace kernscope::cli
