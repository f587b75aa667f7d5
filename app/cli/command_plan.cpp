// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan.h"
#include "app/cli/usage.h"
#include "core/target/rules.h"
#include "core/target/target.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using PlanAsked = std::shared_ptr<PlanOptions>;

void addPlanLimits(CLI::App &command, const PlanAsked &options)
{
    command.add_option("--tolerance", options->tolerance, "Largest relative error of a layer")
        ->type_name("X")
        ->check(notNegative())
        ->capture_default_str();
    command
        .add_option("--total-tolerance", options->totalTolerance,
                    "Largest relative error of all weights taken as one")
        ->type_name("X")
        ->check(notNegative());
    command.add_option("--max-bytes", options->maxBytes, "Most stored bytes of all weights")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    command
        .add_option("--minimise,--minimize", options->minimise,
                    "What is to be least: predicted time, stored bytes, bytes moved, or the error "
                    "of the network; without it time, or stored bytes where times are not known")
        ->check(CLI::IsMember({"time", "stored", "moved", "error"}));
    command
        .add_option("--error", options->error,
                    "What errors are taken from: the weights, or the layer's outputs through the "
                    "engine's reduction (slower)")
        ->check(CLI::IsMember({"weights", "outputs"}))
        ->capture_default_str();
    command.add_option("--batch", options->batch, "Inputs of a dispatch")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t(1), std::uint64_t(1'000'000'000)));
}

void addMeasured(CLI::App &command, const PlanAsked &options)
{
    command
        .add_option("--activations", options->activations,
                    "Statistics of what flows into the weights, by the weights' names: NAME (mean "
                    "squares of the input channels), NAME.mean, NAME.second_moment")
        ->type_name("FILE.npz");
    command
        .add_option("--sensitivity", options->sensitivity,
                    "Columns weight and sensitivity: the error of that weight counts so many times")
        ->type_name("FILE.csv");
    command
        .add_option("--forms", options->forms,
                    "Forms to try, by name or pattern (palette*); may be given again")
        ->type_name("FORM")
        ->allow_extra_args(false);
    command
        .add_option("--force-form", options->forced,
                    "The form of the weights of that name or pattern; may be given again")
        ->type_name("PATTERN=FORM")
        ->allow_extra_args(false);
}

void addOutputs(CLI::App &command, Context &context, const PlanAsked &options)
{
    addOutput(command, context, options->output,
              "Bundle to write, with every weight in its planned form", "BUNDLE");
    command
        .add_option("--report", options->report,
                    "Before and after of each layer and chip: .html, .md, .json or .csv")
        ->type_name("FILE");
    command.add_option("--format", options->format, "What is printed (json: the same as --json)")
        ->check(CLI::IsMember({"text", "json", "csv"}))
        ->capture_default_str();
    command
        .add_option("--compare", options->compare,
                    "Another build of the network, measured by the same rules; may be given again")
        ->type_name("PATH")
        ->allow_extra_args(false);
    command.add_option("--points", options->points, "Points of each front, at most")
        ->type_name("N")
        ->check(CLI::Range(2, 1000))
        ->capture_default_str();
    command.add_flag("--candidates", options->candidates,
                     "JSON: every form that was tried for a weight, with its figures");
}

} // namespace

void addPlan(CLI::App &app, Context &context)
{
    auto options = std::make_shared<PlanOptions>();
    CLI::App *command =
        app.add_subcommand("plan", "The best forms for a whole network within an error budget");
    command->add_option("path", options->path, "Bundle with a program")
        ->required()
        ->type_name("PATH");
    addSharedOptions(*command, context);
    command
        ->add_option("--target", options->targets,
                     fmt::format("Chip to plan for, under any of its names (default {}); may be "
                                 "given again: a form must be one that all of them take",
                                 target::defaultTarget().name))
        ->type_name("NAME")
        ->allow_extra_args(false)
        ->each([](const std::string &name) {
            if (auto found = target::findTarget(name); !found)
                throw UsageFailure{std::move(found.error())};
        });
    addShapeOption(*command, options->shapes);
    addPlanLimits(*command, options);
    addMeasured(*command, options);
    addOutputs(*command, context, options);
    addExamples(*command,
                {"plan model.mlmodelc --target M1 --tolerance 0.02 -o planned.mlmodelc",
                 "plan model.mlmodelc --target M1 --target M4 --minimise stored --json",
                 "plan model.mlpackage --shape x=1,3,640,640 --json",
                 "plan model.mlmodelc --max-bytes 200000 --minimise error --report plan.html",
                 "plan model.mlmodelc --tolerance 0.05 --force-form '*bias*=keep' --format csv"});
    command->callback([options, &context] { context.exitCode = runPlan(*options, context); });
}

} // namespace kernscope::cli
