// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include "app/cli/journal_notes.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/find_weight.h"
#include "core/patch/interrupted_save.h"
#include "core/target/rules.h"
#include "core/target/target.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

/// What the command reads.
struct Inputs {
    std::vector<BundlePtr> bundles;
    std::vector<std::shared_ptr<OverlaidFile>> files;
};
Inputs g_inputs;
bool g_inputTaken = false;

/// What is read from standard input is one file, in memory.
constexpr std::size_t kMostInputBytes = std::size_t{512} << 20;

Error inputFailure(std::string expected, std::string found, std::string_view message)
{
    return ErrorBuilder("io.read")
        .file("standard input")
        .expected(std::move(expected))
        .found(std::move(found))
        .message(message);
}

Result<std::shared_ptr<OverlaidFile>> readInput()
{
    if (std::exchange(g_inputTaken, true))
        return tl::unexpected(inputFailure("one - in the command", "a second one",
                                           "Standard input can be read once"));
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::vector<std::byte> content;
    for (std::size_t filled = 0;;) {
        content.resize(filled + kBlock);
        const ssize_t got = ::read(STDIN_FILENO, content.data() + filled, kBlock);
        if (interrupted())
            return tl::unexpected(cancelledError(stoppedText()));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tl::unexpected(inputFailure({}, std::generic_category().message(errno),
                                               "Standard input cannot be read"));
        filled += static_cast<std::size_t>(got);
        if (filled > kMostInputBytes)
            return tl::unexpected(inputFailure(fmt::format("at most {} bytes", kMostInputBytes),
                                               "more", "Give a larger file by its name"));
        if (got > 0)
            continue;
        content.resize(filled);
        return OverlaidFile::fromMemory(std::move(content), "standard input");
    }
}

} // namespace

void addSharedOptions(CLI::App &command, Context &context)
{
    command.add_flag("--json", context.json, "Print one JSON document on standard output");
    command.add_flag("-q,--quiet", context.quiet, "Print errors only");
    command.preparse_callback([&context, &command](std::size_t) {
        const CLI::App *parent = command.get_parent();
        const bool nested = parent != nullptr && parent->get_parent() != nullptr;
        context.command = nested ? parent->get_name() : command.get_name();
    });
}

void addCommonOptions(CLI::App &command, Context &context)
{
    addSharedOptions(command, context);
    command
        .add_option("--target", context.target,
                    fmt::format("Chip to judge by, under any of its names (default {})",
                                target::defaultTarget().name))
        ->type_name("NAME")
        ->each([](const std::string &name) {
            if (auto found = target::findTarget(name); !found)
                throw UsageFailure{std::move(found.error())};
        });
}

void checkStream(const Context &context, const std::string &option, const std::string &output,
                 bool streams)
{
    if (output != "-" || (streams && !context.json))
        return;
    throw UsageFailure{usageError(option, "the name of a file", "-",
                                  streams ? "Standard output has the document of --json"
                                          : "This is not written to standard output")};
}

namespace {

CLI::Option *addOutputOptions(CLI::App &command, Context &context, std::string &output,
                              const std::string &help, const std::string &type, bool streams)
{
    CLI::Option *option = command.add_option("-o,--output", output, help)->type_name(type);
    option->each([&context, streams](const std::string &value) {
        checkStream(context, "--output", value, streams);
    });
    command.add_flag("-f,--force", context.force,
                     "Replace the output where it exists: a file by a file, a bundle by a bundle");
    return option;
}

} // namespace

CLI::Option *addOutput(CLI::App &command, Context &context, std::string &output,
                       const std::string &help, const std::string &type)
{
    return addOutputOptions(command, context, output, help, type, false);
}

CLI::Option *addStreamOutput(CLI::App &command, Context &context, std::string &output,
                             const std::string &help, const std::string &type)
{
    return addOutputOptions(command, context, output, help, type, true);
}

void addExamples(CLI::App &command, std::initializer_list<const char *> lines)
{
    std::string text = "Examples:";
    for (const char *line : lines)
        text += std::string("\n  kernscope-cli ") + line;
    command.footer(text);
}

int exitCodeOf(const Error &error)
{
    if (error.code.starts_with("io.") || error.code == "task.cancelled")
        return kIo;
    if (error.code == "codec.argument") // values and statistics are input, the rest was asked for
        return error.field == "values" || error.field == "inputs" ? kBadInput : kUsage;
    constexpr std::array<std::string_view, 8> kWrongUse{
        "cli.weight",  "patch.weight", "cli.usage",       "cli.option",
        "target.name", "encode.usage", "encode.legality", "section.legality"};
    return std::find(kWrongUse.begin(), kWrongUse.end(), error.code) != kWrongUse.end() ? kUsage
                                                                                        : kBadInput;
}

int exitCodeOf(const Diagnostics &diagnostics)
{
    return hasErrors(diagnostics) ? kBadInput : kDone;
}

int reportFailure(Context &context, std::string_view command, const Error &error)
{
    // Work that a signal stopped fails in one way or another; the signal is what matters.
    const Diagnostics only{
        {Severity::Error, interrupted() ? cancelledError(stoppedText()) : error}};
    if (context.json) {
        report::Json document = report::document(command);
        printDocument(context, document, only);
    } else {
        printDiagnostics(context, only);
    }
    return exitCodeOf(only.front().error);
}

void printDocument(Context &, report::Json &document, const Diagnostics &diagnostics)
{
    Diagnostics rows = unsaidJournals(diagnostics);
    rows.insert(rows.end(), diagnostics.begin(), diagnostics.end());
    report::finish(document, rows);
    print(printableJson(report::documentText(document)));
    print("\n");
}

Result<BundlePtr> openBundle(const std::filesystem::path &path)
{
    if (path == "-")
        return tl::unexpected(usageError("-", "the path of a bundle or a file", "standard input",
                                         "Standard input is read where one file is asked for that "
                                         "is no bundle: an array, edits, rules, a patch"));
    auto opened = openForReading(path);
    if (opened.bundle) {
        noteJournals((*opened.bundle)->diagnostics());
        g_inputs.bundles.push_back(*opened.bundle);
    }
    return std::move(opened.bundle);
}

Result<void> checkInputs()
{
    for (const BundlePtr &bundle : g_inputs.bundles) {
        if (auto same = bundle->checkUnchanged(); !same)
            return same;
    }
    // A bundle was looked at as a whole when it was opened. Files that belong together but were
    // opened one by one must not have been replaced in between either.
    const bool several = g_inputs.files.size() > 1;
    for (const auto &file : g_inputs.files) {
        if (auto same = several ? file->checkInPlace() : file->checkSame(); !same)
            return same;
    }
    return {};
}

void outputInPlace()
{
    g_inputs = {};
}

int finish(Context &context, std::string_view command, int exitCode)
{
    if (auto same = checkInputs(); !same && !interrupted()) {
        discardOutput();
        exitCode = reportFailure(context, command, same.error());
    }
    if (writeOutput() || interrupted())
        return exitCode;
    complain("kernscope-cli: standard output cannot be written");
    writeOutput();
    return kIo;
}

Result<std::shared_ptr<OverlaidFile>> openFile(const std::filesystem::path &path)
{
    if (path == "-")
        return readInput();
    auto opened = openFileForReading(path);
    if (!opened)
        return tl::unexpected(std::move(opened.error()));
    noteJournals(opened->notes);
    g_inputs.files.push_back(opened->file);
    return std::move(opened->file);
}

int reportStopped(Context &context, std::string_view command)
{
    return reportFailure(context, command, cancelledError(stoppedText()));
}

Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name)
{
    return patch::findWeight(bundle, name).map_error(withCode("cli.weight"));
}

} // namespace kernscope::cli
