// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/hwx_run.h"

#include <memory>

#include <CLI/CLI.hpp>

namespace kernscope::cli {

void addHwx(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "hwx", "Show a hardware container: commands, symbols, task descriptors, registers");
    auto options = std::make_shared<HwxOptions>();
    CLI::Option *path =
        command->add_option("path", options->path, "Hardware container")->type_name("PATH");
    command->add_flag("--no-registers", options->noRegisters,
                      "Leave out the registers of each task");
    command
        ->add_option("--diff", options->other,
                     "Compare with another container: tasks by what they write, weights, sections")
        ->type_name("OTHER");
    command
        ->add_option("--survey", options->survey,
                     "Values of every word without a name over the containers of a folder")
        ->type_name("FOLDER")
        ->excludes(path);
    CLI::Option *load =
        command
            ->add_option("--load-at", options->loadAt,
                         "Load plan: what a loader would write for an image at this address")
            ->type_name("ADDRESS")
            ->needs(path);
    command
        ->add_flag("--strip", options->strip,
                   "Of an image that was loaded there, what is left without the address")
        ->needs(load);
    addCommonOptions(*command, context);
    addExamples(*command, {"hwx network.hwx --no-registers", "hwx old.hwx --diff new.hwx",
                           "hwx --survey containers/", "hwx network.hwx --load-at 0x40000000"});
    command->callback([options, &context] {
        if (options->path.empty() && options->survey.empty())
            throw CLI::RequiredError("path");
        context.exitCode = runHwx(*options, context);
    });
}

} // namespace kernscope::cli
