// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/journal_notes.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace {

namespace cli = kernscope::cli;

/// As CLI11 takes them, last first. "help [COMMAND]" is the command's --help.
std::vector<std::string> argumentsOf(int argc, char **argv, cli::Session &session)
{
    std::vector<std::string> arguments(argv + 1, argv + argc);
    // Known before the parser has got there: a document answers for every mistake.
    session.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    if (!arguments.empty() && arguments.front() == "help") {
        arguments.erase(arguments.begin());
        arguments.push_back("--help");
    }
    std::reverse(arguments.begin(), arguments.end());
    return arguments;
}

int run(int argc, char **argv, cli::Session &session)
{
    CLI::App app("Inspects, decodes, compares and patches compiled neural-network weights.",
                 "kernscope-cli");
    app.set_version_flag("-V,--version", "kernscope-cli " KERNSCOPE_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    cli::addInspect(app, session);
    cli::addWeight(app, session);
    cli::addBytes(app, session);
    cli::addDecode(app, session);
    cli::addDiff(app, session);
    cli::addFind(app, session);
    cli::addGraph(app, session);
    cli::addPatch(app, session);
    cli::addRecover(app, session);
    cli::addEncode(app, session);
    cli::addQuantize(app, session);
    cli::addHwx(app, session);
    cli::addChips(app, session);
    cli::addPlan(app, session);
    cli::addEngine(app, session);
    cli::addSection(app, session);
    cli::addSelftest(app, session);
    try {
        app.parse(argumentsOf(argc, argv, session));
    } catch (const CLI::ParseError &error) {
        return cli::reportParseError(app, error, session);
    } catch (const cli::UsageFailure &failure) {
        return cli::reportUsage(session, session.command, failure.error);
    }
    cli::finishJournals(session);
    return cli::finish(session, session.command, session.exitCode);
}

} // namespace

int main(int argc, char **argv)
{
    cli::Session session;
    cli::beginInterrupt(session);
    int exitCode = cli::kIo;
    try {
        exitCode = run(argc, argv, session);
    } catch (const std::exception &failure) {
        cli::complain(std::string("kernscope-cli: ") + failure.what());
    }
    cli::writeOutput(); // what is left where it ended otherwise
    exitCode = cli::endInterrupt(session, exitCode);
    cli::writeOutput(); // that it was stopped
    return exitCode;
}
