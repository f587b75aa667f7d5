// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/interrupt.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/report/json.h"

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace kernscope {
class OverlaidFile;
}
namespace CLI {
class App;
class Option;
} // namespace CLI

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
void addInspect(CLI::App &app, Context &context);
void addBytes(CLI::App &app, Context &context);
void addDecode(CLI::App &app, Context &context);
void addDiff(CLI::App &app, Context &context);
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
void addSelftest(CLI::App &app, Context &context);
void addWeight(CLI::App &app, Context &context);

/// Adds --json and --quiet to a subcommand.
void addSharedOptions(CLI::App &command, Context &context);
/// Adds --json, --quiet and --target to a subcommand. An unknown target throws UsageFailure.
void addCommonOptions(CLI::App &command, Context &context);
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
int reportFailure(Context &context, std::string_view command, const Error &error);
/// Same for a document that a command has begun: appends the diagnostics and prints it.
void printDocument(Context &context, report::Json &document, const Diagnostics &diagnostics);
inline void printDocument(Context &context, report::Json &&document, const Diagnostics &diagnostics)
{
    printDocument(context, document, diagnostics);
}

/// Opens for reading: nothing is written, an interrupted save is said in the diagnostics and shown
/// as it will be when it is undone. Errors: those of Bundle::open, "cli.usage" for "-". What is
/// opened stays open until the command has ended, for checkInputs().
Result<BundlePtr> openBundle(const std::filesystem::path &path);
/// The same for one file that a command reads by itself; "-" is standard input, once and up to
/// 512 MiB. Error "io.read".
Result<std::shared_ptr<OverlaidFile>> openFile(const std::filesystem::path &path);
/// Error "io.changed" where another program changed anything that was opened: the answer is made of
/// bytes that were never together on the disk. Asked before a file is put in its place, and once
/// more before the command says anything.
Result<void> checkInputs();
/// A file was put in its place, made from inputs that were the same until then: what becomes of
/// them from now on does not concern this command.
void outputInPlace();
/// The exit code, once what the command says was written or, where checkInputs() fails, replaced by
/// that error.
int finish(Context &context, std::string_view command, int exitCode);

/// Says that a signal stopped the command, and what was written before it; returns 4.
int reportStopped(Context &context, std::string_view command);

/// The weight that a name stands for (see patch::findWeight). Errors: "cli.weight", `expected`
/// naming the candidates of an ambiguous name or the nearest names.
Result<std::size_t> findWeight(const Bundle &bundle, std::string_view name);

} // namespace kernscope::cli
