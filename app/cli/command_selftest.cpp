// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/selftest.h"
#include "app/cli/text_output.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

void runSelftestCommand(Context &context)
{
    const WritingScope scope; // into a folder that it removes at the end
    const std::vector<SelftestStep> steps = runSelftest();
    std::size_t failed = 0;
    for (const SelftestStep &step : steps)
        failed += step.passed ? 0 : 1;
    context.exitCode = failed == 0 ? kDone : kDiffers;
    if (context.json) {
        printDocument(context, report::selftestJson(steps), {});
        return;
    }
    for (const SelftestStep &step : steps) {
        print(fmt::format("  {}  {}{}\n",
                          step.passed ? styled(Style::Good, "holds") : styled(Style::Bad, "FAILS"),
                          step.name, step.detail.empty() ? "" : ": " + step.detail));
    }
    print(fmt::format("{} of {} steps hold\n", steps.size() - failed, steps.size()));
}

} // namespace

void addSelftest(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("selftest", "Take the embedded sample the whole way: open, decode, "
                                       "compare, patch, save, read back");
    addCommonOptions(*command, context);
    addExamples(*command, {"selftest"});
    command->callback([&context] { runSelftestCommand(context); });
}

} // namespace kernscope::cli
