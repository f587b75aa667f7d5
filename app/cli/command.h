// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/output.h"
#include "core/bundle/bound_shapes.h"
#include "core/report/json.h"

namespace CLI {
class App;
class FormatterBase;
class Option;
class ParseError;
class Validator;
} // namespace CLI

namespace kernscope {
class OverlaidFile;
struct DiffLimits;
} // namespace kernscope

/// The command line of cli.md: one file a command, each a thin skin over the core.
namespace kernscope::cli {

enum ExitCode : int {
    kDone = 0,
    kDiffers = 1,  ///< done, and the answer is "differs" or "does not hold"
    kUsage = 2,    ///< wrong use
    kBadInput = 3, ///< bad input; what could be read was printed, the faults are diagnostics
    kIo = 4,       ///< a file could not be read or written
};

/// What every command shares: the common options, the progress and the exit code. One a process;
/// lives as long as main().
struct Context {
    bool json = false;
    bool quiet = false;
    bool force = false;  ///< --force: an output replaces a file that exists
    std::string target;  ///< --target as given, empty where it was not
    std::string command; ///< as documents call it; empty until one was recognised
    Progress progress;   ///< cancelled by Ctrl-C; long work takes it and stops
    int exitCode = kDone;
};

/// Each adds one subcommand whose callback does the work and sets context.exitCode. A new command
/// adds its line here, its file to CMakeLists.txt and its call to main.cpp.
void addAudit(CLI::App &app, Context &context);
void addInspect(CLI::App &app, Context &context);
void addBytes(CLI::App &app, Context &context);
void addDecode(CLI::App &app, Context &context);
void addDiff(CLI::App &app, Context &context);
void addConvert(CLI::App &app, Context &context);
void addEncode(CLI::App &app, Context &context);
void addFind(CLI::App &app, Context &context);
void addGraph(CLI::App &app, Context &context);
void addQuantize(CLI::App &app, Context &context); ///< and dequantize
void addPatch(CLI::App &app, Context &context);
void addRecover(CLI::App &app, Context &context);
void addHwx(CLI::App &app, Context &context);
void addOdix(CLI::App &app, Context &context);
/// decide, geometry, roofline, choose, targets and formats.
void addChips(CLI::App &app, Context &context);
void addPlan(CLI::App &app, Context &context);
void addEngine(CLI::App &app, Context &context); ///< collective, descriptor, activation
void addSection(CLI::App &app, Context &context);
void addSurvey(CLI::App &app, Context &context);
void addSelftest(CLI::App &app, Context &context);
void addWeight(CLI::App &app, Context &context);

/// Adds --json and --quiet to a subcommand.
void addSharedOptions(CLI::App &command, Context &context);
/// Adds --json, --quiet and --target to a subcommand. An unknown target throws UsageFailure. Of a
/// command that does not judge by a chip, --target is taken and has no place in the help.
void addCommonOptions(CLI::App &command, Context &context, bool judges = true);
/// --max-error of commands that encode weights anew. Scripts know it as --tolerance, which is taken
/// as well.
void addMaxError(CLI::App &command, double &limit);
/// For options that are a whole number from 0 on, which CLI11 makes of "-1" and of what 64 bits do
/// not hold as well.
const CLI::Validator &wholeNumber();
/// An option with a value that the help calls `value`, such as "FILE".
template <class App, class T>
CLI::Option *addOption(App &command, const std::string &name, const std::string &value, T &variable,
                       const std::string &help)
{
    auto *option = command.add_option(name, variable, help)->type_name(value);
    return std::is_unsigned_v<T> ? option->check(wholeNumber()) : option;
}
/// An option that takes one of a few words; the help names the one that `variable` holds.
CLI::Option *addWord(CLI::App &command, const std::string &name, std::string &variable,
                     const std::vector<std::string> &words, const std::string &help);
/// What a command reads.
template <class App>
CLI::Option *addPath(App &command, std::string &path,
                     const std::string &help = "Bundle folder, program or weight file")
{
    return addOption(command, "path", "PATH", path, help)->required();
}
/// A subcommand with arguments that live as long as it does; `run(arguments, context)` does the
/// work and returns the exit code.
template <class Arguments, class App, class Run>
std::pair<App *, std::shared_ptr<Arguments>>
addCommand(App &app, Context &context, const std::string &name, const std::string &help, Run run)
{
    App *command = app.add_subcommand(name, help);
    auto arguments = std::make_shared<Arguments>();
    command->callback([arguments, run, &context] { context.exitCode = run(*arguments, context); });
    return {command, std::move(arguments)};
}
/// Adds -o, --output and -f, --force, which every command has that writes.
CLI::Option *addOutput(CLI::App &command, Context &context, std::string &output,
                       const std::string &help, const std::string &type);
/// Adds examples to the end of a command's help, one a line.
void addExamples(CLI::App &command, std::initializer_list<const char *> lines);

/// Thrown while the command line is parsed, where a value of it is wrong. Caught in main.
struct UsageFailure {
    Error error;
};

/// 4 for the codes "io.…" and for work that was stopped. 2 for a weight, an option or a target that
/// does not exist, and for a form that the chip has no encoder for or that has no such options. 3
/// for every other code.
int exitCodeOf(const Error &error);
/// 3 where there is an error among them, else 0.
int exitCodeOf(const Diagnostics &diagnostics);

/// Says that a command could not be done at all: with --json a whole document with that one
/// diagnostic, otherwise one line on standard error. Returns exitCodeOf(error).
int reportFailure(Context &context, const Error &error);
/// Thrown by required() and usable(); main() answers with reportFailure(), or reportUsage().
struct CommandFailure {
    Error error;
    bool usage = false;
};
/// The value; a command whose result has none ends here.
template <class T>
T required(Result<T> result)
{
    if (!result)
        throw CommandFailure{std::move(result.error())};
    if constexpr (!std::is_void_v<T>)
        return *std::move(result);
}
/// The same of what the command line asks for: the command ends as one that was used wrongly.
template <class T>
T usable(Result<T> result)
{
    if (!result)
        throw CommandFailure{std::move(result.error()), true};
    return *std::move(result);
}
/// Same for a document that a command has begun: appends the diagnostics and prints it.
void printDocument(report::Json document, const Diagnostics &diagnostics,
                   const report::LateLists &lists = {});

/// The answer of a command: `document()` with --json, else `text()` unless --quiet, and the
/// diagnostics. Returns exitCodeOf(diagnostics).
template <class Document, class Text>
int printAnswer(Context &context, const Diagnostics &diagnostics, Document document, Text text)
{
    if (context.json) {
        printDocument(document(), diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!context.quiet)
        print(text());
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

/// Opens for reading: nothing is written, an interrupted save is said in the diagnostics and shown
/// as it will be when it is undone. Errors: those of Bundle::open, "cli.usage" for "-". What is
/// opened stays open until the command has ended, for checkInputs().
Result<BundlePtr> openBundle(const std::filesystem::path &path);
/// The same for one file that a command reads by itself; "-" is standard input, once and up to
/// 512 MiB. Error "io.read".
Result<std::shared_ptr<OverlaidFile>> openFile(const std::filesystem::path &path);
/// The rules file of `diff` and `audit`. Throws CommandFailure: those of openFile, "diff.rules".
DiffLimits readRules(const std::string &path);
/// The content of such a file of at most `most` bytes. Errors: those of openFile, "io.limit".
Result<std::string> openSmallFile(const std::filesystem::path &path, std::uint64_t most);
/// Error "io.changed" where another program changed anything that was opened: the answer is made of
/// bytes that were never together on the disk. Asked before a file is put in its place, and once
/// more before the command says anything.
Result<void> checkInputs();
/// A file was put in its place, made from inputs that were the same until then: later
/// changes to them do not concern this command.
void outputInPlace();
/// The exit code, once what the command says was written or, where checkInputs() fails, replaced by
/// that error.
int finish(Context &context, int exitCode);

/// Ends the command where a signal came.
void checkInterrupt();

/// The weight that a name stands for (see patch::findWeight). Errors: "cli.weight", `expected`
/// naming the candidates of an ambiguous name or the nearest names.
Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name);

// Wrong use, said so that the next try is right.

/// Says what is wrong with the command line that `app` could not parse: with --json as a document,
/// otherwise on standard error. Returns the exit code: 0 for help and the version.
int reportParseError(CLI::App &app, const CLI::ParseError &error, Context &context);

/// Says that a command was used in a wrong way; returns kUsage.
int reportUsage(Context &context, const Error &error);
/// For options that are a real number: "nan" is none, which checks of a range let pass, as no
/// comparison with it holds.
const CLI::Validator &notNan();
/// For those of them that are 0 or more.
const CLI::Validator &notNegative();
/// An error of the command line itself: "cli.usage", about an option.
Error usageError(std::string field, std::string expected, std::string found, std::string message);

/// Adds --shape INPUT=EXTENT,…, which may be given several times.
CLI::Option *addShapeOption(CLI::App &command, std::vector<std::string> &shapes);

/// The inputs that a program leaves open bound to the defaults that the model says. Nothing where
/// it says none, or none that fit.
std::optional<BoundShapes> bindDefaults(const Bundle &bundle);

/// A bundle that was opened for reading, with the shapes of --shape bound, or without any the
/// defaults that the model says.
struct ShapedBundle {
    BundlePtr bundle;
    std::optional<shapes::Summary> shapes; ///< nothing where no shape was bound
    bool described = false;                ///< the shapes are the model's own defaults
};
/// Errors: those of openBundle and bindShapes, "cli.option".
Result<ShapedBundle> openBundle(const std::filesystem::path &path,
                                const std::vector<std::string> &shapes);

/// `"shapes"` of a document, where --shape was given.
void addShapes(report::Json &document, const ShapedBundle &opened);
/// The same for people; empty where --shape was not given.
std::string shapesText(const ShapedBundle &opened);

// Interrupted saves that the inputs of a command were found with. Every command must say them,
// whether it has diagnostics of its own or not.

/// What is going to be printed, after the remembered rows that are not among it.
Diagnostics withJournals(const Diagnostics &printed);
/// Says on standard error what no document and no list of diagnostics has said; one that is
/// an error turns the exit code of a command that is done into "bad input".
void finishJournals(Context &context);

// What the tree of commands tells people and shells.

/// Help in our own words, no wider than the terminal; 80 columns where standard output is none.
std::shared_ptr<CLI::FormatterBase> helpFormatter();
/// resources/help/scripts.md: each command with what it prints as JSON.
extern const std::string_view kScriptsPage;
/// Puts the commands of the program into groups, in the order of a release's work.
void groupCommands(CLI::App &app);
/// The values that an option takes one of; empty where it takes others.
std::vector<std::string> valuesOf(const CLI::Option &option);

/// `completion WORD…`: prints, one a line, what the last of the words may become, for the shells'
/// own scripts (packaging/linux): commands, options, their values, chips, and the weights of a
/// bundle that is named in the line. Nothing where the name of a file may stand. Not in the help.
void printCompletions(const CLI::App &app, std::vector<std::string> words);

} // namespace kernscope::cli
