// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/shapes/tensor.h"
#include "core/patch/edit/find_weight.h"
#include "core/report/program_table.h"
#include "core/target/target.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace kernscope::cli {

namespace {

/// Of the process, as Context is: commands open their inputs in many places.
struct JournalRows {
    Diagnostics found;
    std::size_t said = 0; ///< of `found`, from the front
};

JournalRows &journalRows()
{
    static JournalRows rows;
    return rows;
}

bool contains(const Diagnostics &rows, const Diagnostic &wanted)
{
    return std::ranges::any_of(rows, [&wanted](const Diagnostic &row) {
        return row.error.code == wanted.error.code && row.error.file.ends_with(wanted.error.file);
    });
}

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
    return valueError({"standard input"}, "io.read", {}, expected, found, message);
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

std::vector<std::string> commandsOf(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::App *command : app.get_subcommands([](const CLI::App *) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> optionsOf(const CLI::App &app)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options()) {
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
        for (const std::string &name : option->get_snames())
            names.push_back("-" + name);
    }
    return names;
}

/// The command that was given, as deep as it was; the program itself where none was.
const CLI::App *deepest(const CLI::App &app)
{
    const CLI::App *at = &app;
    while (!at->get_subcommands().empty())
        at = at->get_subcommands().front();
    return at;
}

std::string fullName(const CLI::App &app)
{
    const CLI::App *parent = app.get_parent();
    return parent == nullptr ? app.get_name() : fullName(*parent) + " " + app.get_name();
}

Error unknownWord(std::string_view kind, const std::string &word,
                  const std::vector<std::string> &known)
{
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearestWord(name, known);
    std::string message = fmt::format("There is no {} {}", kind, name);
    if (nearest == name)
        message = fmt::format("The {} {} stands too early: it comes after its command", kind, name);
    else if (!nearest.empty())
        message += fmt::format("; the nearest is {}", nearest);
    return ErrorBuilder(usageError({}, {}, {}, std::move(message))).found(name).expected(nearest);
}

/// What nothing in the command line stands for: a command, an option or one word too many.
std::optional<Error> unknownIn(const CLI::App &app, const CLI::App &command)
{
    const auto left = app.remaining(true);
    const auto option = std::ranges::find_if(left, [](const std::string &word) {
        return word.size() > 1 && word.front() == '-' && word != "--";
    });
    const auto word = std::ranges::find_if(
        left, [](const std::string &each) { return !each.empty() && each.front() != '-'; });
    const auto commands = commandsOf(command);
    if (!commands.empty() && word != left.end())
        return unknownWord("command", *word, commands);
    if (option != left.end())
        return unknownWord("option", *option, optionsOf(command));
    if (word != left.end()) {
        return ErrorBuilder(
                   usageError({}, {}, {}, fmt::format("There is one argument too many: {}", *word)))
            .found(*word);
    }
    return std::nullopt;
}

/// A value that an option does not take, where it takes one of a few: CLI11 says
/// "--format: jsn not in {text,json}".
std::optional<Error> unknownValue(const CLI::App &command, std::string_view said)
{
    const std::size_t colon = said.find(": "), list = said.find(" not in {");
    if (colon == said.npos || list == said.npos || list < colon)
        return std::nullopt;
    const std::string name(said.substr(0, colon));
    const std::string value(said.substr(colon + 2, list - colon - 2));
    const CLI::Option *option = command.get_option_no_throw(name);
    const auto known = option ? valuesOf(*option) : std::vector<std::string>();
    if (known.empty())
        return std::nullopt;
    std::string all;
    for (const std::string &each : known)
        all += (all.empty() ? "" : ", ") + each;
    return usageError(name, std::move(all), value, "There is no such value of " + name);
}

/// What CLI11 says of a number of values, or of a value that is no number, in this program's words.
std::string wordingOf(const CLI::ParseError &error)
{
    std::string said = error.what();
    const auto replace = [&said](std::string_view what, std::string_view by) {
        const std::size_t at = said.find(what);
        if (at != said.npos)
            said.replace(at, what.size(), by);
        return at != said.npos;
    };
    if (error.get_name() == "ConversionError" && replace("Could not convert: ", {}))
        replace(" = ", " takes a number, not ");
    if (error.get_name() != "ArgumentMismatch")
        return said;
    if (replace(": At least ", " takes at least ") || replace(": At Most ", " takes at most "))
        replace(" required but received ", "; given: ");
    else if (replace(": 1 required ", " needs a value: "))
        replace(" missing", {});
    return said;
}

/// Remembers the rows with a code "journal.…" among those of an opened input.
void noteJournals(const Diagnostics &diagnostics)
{
    for (const Diagnostic &row : diagnostics) {
        if (row.error.code.starts_with("journal.") && !contains(journalRows().found, row))
            journalRows().found.push_back(row);
    }
}

} // namespace

Diagnostics withJournals(const Diagnostics &printed)
{
    Diagnostics all;
    JournalRows &rows = journalRows();
    for (std::size_t i = rows.said; i < rows.found.size(); ++i) {
        if (!contains(printed, rows.found[i]))
            all.push_back(rows.found[i]);
    }
    rows.said = rows.found.size();
    all.insert(all.end(), printed.begin(), printed.end());
    return all;
}

void finishJournals(Context &context)
{
    if (!context.json)
        printDiagnostics(context, {});
    if ((context.exitCode == kDone || context.exitCode == kDiffers) &&
        hasErrors(journalRows().found))
        context.exitCode = kBadInput;
}

CLI::Option *addWord(CLI::App &command, const std::string &name, std::string &variable,
                     const std::vector<std::string> &words, const std::string &help)
{
    return command.add_option(name, variable, help)
        ->check(CLI::IsMember(words))
        ->capture_default_str();
}

void addSharedOptions(CLI::App &command, Context &context)
{
    CLI::Option *json =
        command.add_flag("--json", context.json, "Print one JSON document on standard output");
    command.add_flag("-q,--quiet", context.quiet, "Print errors only");
    command.add_flag_callback("--wide", showWide,
                              "All columns of tables on a terminal, and in front of a pipe, too");
    command
        .add_option_function<std::vector<std::string>>(
            "--columns", showColumns, "Columns of tables by their titles, as name,stored")
        ->delimiter(',')
        ->type_name("TITLE,...")
        ->excludes(json);
    command.preparse_callback([&context, &command](std::size_t) {
        const CLI::App *parent = command.get_parent();
        const bool nested = parent != nullptr && parent->get_parent() != nullptr;
        context.command = nested ? parent->get_name() : command.get_name();
    });
}

void addCommonOptions(CLI::App &command, Context &context, bool judges)
{
    addSharedOptions(command, context);
    CLI::Option *option =
        addOption(command, "--target", "NAME", context.target,
                  fmt::format("Chip to judge by, under any of its names (default {})",
                              target::defaultTarget().name));
    if (!judges)
        option->group({});
    option->each([](const std::string &name) {
        if (auto found = target::findTarget(name); !found)
            throw UsageFailure{std::move(found.error())};
    });
}

void addMaxError(CLI::App &command, double &limit)
{
    CLI::Option *const option =
        addOption(command, "--max-error", "X", limit, "Largest relative error of a layer")
            ->check(notNegative())
            ->capture_default_str();
    addOption(command, "--tolerance", "X", limit, {})
        ->check(notNegative())
        ->excludes(option)
        ->group({});
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
    if (error.code == "io.open" && !error.expected.empty()) // it is there, and of another kind
        return kBadInput;
    if (error.code.starts_with("io.") || error.code == "task.cancelled")
        return kIo;
    if (error.code == "codec.argument") // values and statistics are input, the rest are options
        return error.field == "values" || error.field == "inputs" ? kBadInput : kUsage;
    constexpr std::array<std::string_view, 11> kWrongUse{
        "cli.weight",   "patch.weight",    "patch.index",     "patch.file",
        "patch.part",   "cli.usage",       "cli.option",      "target.name",
        "encode.usage", "encode.legality", "section.legality"};
    return std::ranges::find(kWrongUse, error.code) != kWrongUse.end() ? kUsage : kBadInput;
}

int exitCodeOf(const Diagnostics &diagnostics)
{
    return hasErrors(diagnostics) ? kBadInput : kDone;
}

int reportFailure(Context &context, const Error &error)
{
    // Work that a signal stopped fails in one way or another; the signal is what matters.
    const Diagnostics only{
        {Severity::Error, interrupted() ? cancelledError(stoppedText()) : withNearest(error)}};
    if (context.json)
        printDocument(report::document(context.command), only);
    else
        printDiagnostics(context, only);
    return exitCodeOf(only.front().error);
}

void printDocument(report::Json document, const Diagnostics &diagnostics,
                   const report::LateLists &lists)
{
    report::finish(document, withJournals(diagnostics));
    report::writeDocument(document, lists, [](std::string_view piece) {
        printWhole(printableJson(std::string(piece)));
    });
    printWhole("\n");
}

Result<BundlePtr> openBundle(const std::filesystem::path &path)
{
    if (path == "-") { // a bundle of one file
        auto input = TRY(readInput());
        OpenOptions options;
        options.files.emplace_back("standard input", std::move(input));
        return Bundle::open("standard input", options);
    }
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
        TRY(bundle->checkUnchanged());
    }
    // A bundle was looked at as a whole when it was opened. Files that belong together but were
    // opened one by one must not have been replaced in between either.
    const bool several = g_inputs.files.size() > 1;
    for (const auto &file : g_inputs.files) {
        TRY(several ? file->checkInPlace() : file->checkSame());
    }
    return {};
}

void outputInPlace()
{
    g_inputs = {};
}

int finish(Context &context, int exitCode)
{
    if (auto same = checkInputs(); !same && !interrupted()) {
        discardOutput();
        exitCode = reportFailure(context, same.error());
    }
    if (const auto wrong = unknownColumn(); wrong && (exitCode == kDone || exitCode == kDiffers)) {
        discardOutput();
        exitCode = reportUsage(context, *wrong);
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
    auto opened = TRY(openFileForReading(path));
    noteJournals(opened.notes);
    g_inputs.files.push_back(opened.file);
    return std::move(opened.file);
}

Result<std::string> openSmallFile(const std::filesystem::path &path, std::uint64_t most)
{
    const auto file = TRY(openFile(path));
    const auto bytes = file->bytes();
    if (bytes.size() > most)
        return refused({file->name()}, "io.limit", {}, fmt::format("at most {} bytes", most),
                       fmt::format("{} bytes", bytes.size()),
                       "The file is too large for what is read from it");
    return std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

void checkInterrupt()
{
    if (interrupted())
        throw CommandFailure{cancelledError(stoppedText())};
}

Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name)
{
    return patch::findWeight(bundle, name).map_error(withCode("cli.weight"));
}

const CLI::Validator &notNan()
{
    static const CLI::Validator kCheck(
        [](std::string &text) {
            return std::isnan(std::strtod(text.c_str(), nullptr))
                       ? fmt::format("Value {} is not a number", text)
                       : std::string();
        },
        std::string());
    return kCheck;
}

const CLI::Validator &wholeNumber()
{
    static const CLI::Validator kCheck(
        [](std::string &text) {
            errno = 0;
            std::strtoull(text.c_str(), nullptr, 0);
            return text.starts_with('-') || errno == ERANGE
                       ? fmt::format("Value {} is no whole number from 0 to {}", text, UINT64_MAX)
                       : std::string();
        },
        std::string());
    return kCheck;
}

const CLI::Validator &notNegative()
{
    static const CLI::Validator kCheck(
        [](std::string &text) {
            char *end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            if (end == text.c_str() || *end != '\0' || std::isnan(value))
                return fmt::format("Value {} is not a number", text);
            return value < 0 ? fmt::format("Value {} is below 0", text) : std::string();
        },
        "NONNEGATIVE");
    return kCheck;
}

Error usageError(std::string field, std::string expected, std::string found, std::string message)
{
    return valueError("cli.usage", std::move(field), std::move(expected), std::move(found),
                      std::move(message));
}

int reportUsage(Context &context, const Error &error)
{
    reportFailure(context, error);
    return kUsage;
}

int reportParseError(CLI::App &app, const CLI::ParseError &error, Context &context)
{
    const CLI::App *command = deepest(app);
    const std::string name = fullName(*command);
    auto wrong = unknownIn(app, *command);
    // Help or the version, but not of a command that there is not.
    if (error.get_exit_code() == 0 && (!wrong || commandsOf(*command).empty())) {
        std::ostringstream out;
        app.exit(error, out, out);
        print(out.str());
        return kDone;
    }
    if (!wrong && error.get_name() == "ValidationError")
        wrong = unknownValue(*command, error.what());
    if (!wrong) {
        wrong = usageError({}, {}, {}, wordingOf(error));
        if (error.get_name() == "RequiredError" && !commandsOf(*command).empty()) {
            wrong->message = "A command is needed";
            for (const std::string &each : commandsOf(*command))
                wrong->expected += (wrong->expected.empty() ? "" : ", ") + each;
        }
    }
    context.command =
        app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name();
    const int code = reportUsage(context, *wrong);
    if (!context.json)
        complain(fmt::format("Options and examples: {} --help", name));
    return code;
}

CLI::Option *addShapeOption(CLI::App &command, std::vector<std::string> &shapes)
{
    return addOption(command, "--shape", "INPUT=N,N,...", shapes,
                     "Shape of an input whose extents the program leaves open, for the whole "
                     "program: x=1,3,640,640 (once an input; ? leaves an extent open)")
        ->expected(1)
        ->take_all();
}

std::optional<BoundShapes> bindDefaults(const Bundle &bundle)
{
    if (bundle.openInputs().empty())
        return std::nullopt;
    const auto found = shapes::describedShapes(*bundle.program());
    if (found.empty())
        return std::nullopt;
    auto bound = bindShapes(bundle, found);
    return bound ? std::optional(*std::move(bound)) : std::nullopt;
}

Result<ShapedBundle> openBundle(const std::filesystem::path &path,
                                const std::vector<std::string> &shapes)
{
    std::vector<shapes::ShapeBinding> bindings;
    for (const std::string &text : shapes) {
        auto binding = TRY(shapes::parseBinding(text));
        bindings.push_back(std::move(binding));
    }
    auto bundle = TRY(openBundle(path));
    if (bindings.empty()) {
        if (auto bound = bindDefaults(*bundle))
            return ShapedBundle{std::move(bound->bundle), std::move(bound->summary), true};
        return ShapedBundle{std::move(bundle), {}, false};
    }
    auto bound = TRY(bindShapes(*bundle, bindings));
    return ShapedBundle{std::move(bound.bundle), std::move(bound.summary), false};
}

void addShapes(report::Json &document, const ShapedBundle &opened)
{
    report::addBoundShapes(document, opened.shapes, opened.described);
}

std::string shapesText(const ShapedBundle &opened)
{
    if (!opened.shapes)
        return {};
    std::string bound;
    for (const shapes::ShapeBinding &each : opened.shapes->bound)
        bound += fmt::format("{}{} = {}", bound.empty() ? "" : ", ", printable(each.input),
                             shapes::dimsText(each.dims));
    return fmt::format("\n  with {}{}: {} of {} open shapes follow{}\n", bound,
                       opened.described ? " (the model's own default; --shape takes another)" : "",
                       opened.shapes->inferred, opened.shapes->open,
                       opened.shapes->unknown.empty()
                           ? std::string()
                           : fmt::format(", the others are behind {}",
                                         printable(opened.shapes->unknown.front().operation)));
}

} // namespace kernscope::cli
