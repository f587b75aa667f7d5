// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"

#include <exception>
#include <string>

#include <CLI/CLI.hpp>

namespace {

namespace cli = kernscope::cli;

int run(int argc, char **argv, cli::Session &session)
{
    CLI::App app("Inspects, decodes, compares and patches compiled neural-network weights.",
                 "kernscope-cli");
    app.set_version_flag("--version", "kernscope-cli " KERNSCOPE_VERSION);
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    cli::addInspect(app, session);
    cli::addDecode(app, session);
    cli::addDiff(app, session);
    cli::addPatch(app, session);
    cli::addEncode(app, session);
    cli::addQuantize(app, session);
    cli::addHwx(app, session);
    cli::addChips(app, session);
    cli::addSection(app, session);
    cli::addSelftest(app, session);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? cli::kDone : cli::kUsage;
    }
    return cli::finish(session, app.get_subcommands().front()->get_name(), session.exitCode);
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
    cli::endInterrupt();
    return exitCode;
}
