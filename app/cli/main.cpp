// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/journal_notes.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/error_builder.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

namespace cli = kernscope::cli;

/// As CLI11 takes them, last first. "help [COMMAND]" is the command's --help.
std::vector<std::string> argumentsOf(int argc, char **argv, cli::Context &context)
{
    std::vector<std::string> arguments(argv + 1, argv + argc);
    // Known before the parser has got there: a document answers for every mistake.
    context.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.push_back("--help");
    }
    std::reverse(arguments.begin(), arguments.end());
    return arguments;
}

int run(int argc, char **argv, cli::Context &context)
{
    CLI::App app("Inspects, decodes, compares and patches compiled neural-network weights.",
                 "kernscope-cli");
    app.set_version_flag("-V,--version", "kernscope-cli " KERNSCOPE_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    cli::addInspect(app, context);
    cli::addWeight(app, context);
    cli::addBytes(app, context);
    cli::addDecode(app, context);
    cli::addDiff(app, context);
    cli::addFind(app, context);
    cli::addGraph(app, context);
    cli::addPatch(app, context);
    cli::addRecover(app, context);
    cli::addEncode(app, context);
    cli::addQuantize(app, context);
    cli::addHwx(app, context);
    cli::addOdix(app, context);
    cli::addChips(app, context);
    cli::addPlan(app, context);
    cli::addEngine(app, context);
    cli::addSection(app, context);
    cli::addSelftest(app, context);
    try {
        app.parse(argumentsOf(argc, argv, context));
    } catch (const CLI::ParseError &error) {
        return cli::reportParseError(app, error, context);
    } catch (const cli::UsageFailure &failure) {
        return cli::reportUsage(context, context.command, failure.error);
    }
    cli::finishJournals(context);
    return cli::finish(context, context.command, context.exitCode);
}

/// Reports an exception that ended the command, such as a lack of memory, by a document
/// with --json even then.
int reportException(cli::Context &context, const char *what) noexcept
{
    const bool memory = std::string_view(what) == "std::bad_alloc";
    try {
        cli::discardOutput();
        return cli::reportFailure(
            context, context.command,
            kernscope::ErrorBuilder(memory ? "io.memory" : "io.system")
                .found(what)
                .message(memory ? "There is not enough memory for this"
                                : "The system refused something that is needed"));
    } catch (...) { // not even for that sentence
        cli::discardOutput();
        constexpr std::string_view kDocument =
            "{\"schema\":1,\"tool\":\"kernscope\",\"version\":\"" KERNSCOPE_VERSION
            "\",\"command\":\"\",\"diagnostics\":[{\"severity\":\"error\",\"code\":\"io.memory\","
            "\"message\":\"There is not enough memory for this\"}]}\n";
        if (context.json && cli::takeStandardOutput())
            std::fwrite(kDocument.data(), 1, kDocument.size(), stdout);
        std::fputs("kernscope-cli: there is not enough memory for this\n", stderr);
        return cli::kIo;
    }
}

} // namespace

int main(int argc, char **argv)
{
    cli::Context context;
    int exitCode = cli::kIo;
    auto reserve =
        std::make_unique<char[]>(std::size_t{1} << 18); // for the message about a lack of memory
    try {
        cli::beginInterrupt(context);
        exitCode = run(argc, argv, context);
    } catch (const std::exception &failure) {
        reserve.reset();
        exitCode = reportException(context, failure.what());
    } catch (...) {
        exitCode = reportException(context, "an exception of no known type");
    }
    cli::writeOutput(); // what is left where it ended otherwise
    exitCode = cli::endInterrupt(context, exitCode);
    cli::writeOutput(); // that it was stopped
    return exitCode;
}
