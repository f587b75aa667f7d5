// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/byte_table.h"
#include "core/search/place.h"

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

constexpr std::uint64_t kMostBytesAsked = 1u << 20;

struct BytesArguments {
    std::string path, place, file;
    std::uint64_t count = 1;
};

/// The file that a place without one is in: the first weight file, else the first file.
std::size_t mainFile(const Bundle &bundle)
{
    const auto &files = bundle.files();
    const auto data = std::find_if(files.begin(), files.end(), [](const BundleFile &file) {
        return file.role == SectionKind::Data;
    });
    return data == files.end() ? 0 : static_cast<std::size_t>(data - files.begin());
}

Result<std::size_t> fileNamed(const Bundle &bundle, const std::string &name)
{
    if (name.empty())
        return mainFile(bundle);
    if (const auto file = bundle.fileByPath(name))
        return *file;
    std::vector<std::string> known;
    for (const BundleFile &file : bundle.files())
        known.push_back(file.path);
    const std::string nearest = nearestWord(name, known);
    return tl::unexpected(usageError("--file",
                                     nearest.empty() && !known.empty() ? known.front() : nearest,
                                     name, "The bundle has no such file"));
}

Result<search::BytePlace> placeOf(const Bundle &bundle, const BytesArguments &arguments)
{
    const auto file = fileNamed(bundle, arguments.file);
    if (!file)
        return tl::unexpected(file.error());
    return search::parsePlace(bundle, arguments.place, *file)
        .and_then([&](const search::TypedPlace &typed) { return search::firstByte(bundle, typed); })
        .map_error([](Error error) -> Error {
            return ErrorBuilder(std::move(error)).code("cli.option").field("PLACE");
        });
}

void printText(const Bundle &bundle, std::size_t file, const ByteRange &range,
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
    text += heading("Fields") + terminalText(textTable(report::byteFieldTable(), fields));
    text += heading(fmt::format("Read at {:#x}", range.offset.value)) +
            terminalText(textTable(report::readingTable(), readings));
    print(std::move(text));
}

int runBytes(BytesArguments arguments, Context &context)
{
    if (arguments.place.empty()) {
        search::PlaceLink link = search::splitLink(arguments.path);
        arguments.path = std::move(link.path);
        arguments.place = std::move(link.place);
    }
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(context, "bytes", bundle.error());
    const auto place = placeOf(**bundle, arguments);
    if (!place)
        return reportFailure(context, "bytes", place.error());
    const std::uint64_t size = (*bundle)->files()[place->file].file->size().value;
    const ByteRange range{place->offset,
                          ByteCount(std::min(arguments.count, size - place->offset.value))};
    context.progress.setTotal(range.bytes.value);
    const auto fields = [&] {
        const ProgressLine line(context, "Reading");
        return report::byteFieldRows(*bundle, place->file, range, context.progress);
    }();
    if (interrupted())
        return reportStopped(context, "bytes");
    const auto readings = report::readingRows(**bundle, place->file, place->offset);
    const Diagnostics &diagnostics = (*bundle)->diagnostics();
    if (context.json) {
        printDocument(
            context,
            report::bytesJson(arguments.path, **bundle, place->file, range, fields, readings),
            diagnostics);
    } else {
        if (!context.quiet)
            printText(**bundle, place->file, range, fields, readings);
        printDiagnostics(context, diagnostics);
    }
    return exitCodeOf(diagnostics);
}

} // namespace

void addBytes(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "bytes", "What a byte is: its field, weight and element, and its readings");
    auto arguments = std::make_shared<BytesArguments>();
    command
        ->add_option("path", arguments->path,
                     "Bundle folder, program, weight file or hardware container; also PATH#PLACE")
        ->required()
        ->type_name("PATH");
    command
        ->add_option("place", arguments->place,
                     "OFFSET, FILE:OFFSET, SECTION+OFFSET, WEIGHT+OFFSET, a section, a weight or "
                     "WEIGHT[i,j]; offsets in bytes, decimal or 0x and hexadecimal")
        ->type_name("PLACE");
    command
        ->add_option("--file", arguments->file,
                     "File of the bundle that OFFSET is in; the first weight file unless given")
        ->type_name("FILE");
    command
        ->add_option("--count", arguments->count,
                     "Fields of so many bytes from there on; 1 unless given")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, kMostBytesAsked));
    addSharedOptions(*command, context);
    addExamples(*command, {"bytes model.mlmodelc 0x40", "bytes model.mlmodelc 0 --count 128",
                           "bytes model.mlmodelc 'conv1_weight[3,0,1,1]' --json",
                           "bytes model.mlmodelc 0x10 --file model.mil",
                           "bytes 'model.mlmodelc#weights/weight.bin:0x40'",
                           "bytes network.hwx 0x4000 --count 64"});
    command->callback([arguments, &context] { context.exitCode = runBytes(*arguments, context); });
}

} // namespace kernscope::cli
