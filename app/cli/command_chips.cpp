// SPDX-License-Identifier: GPL-3.0-or-later
// The options of decide, geometry, roofline, choose, targets and formats.
#include "app/cli/chips.h"
#include "app/cli/shape_option.h"
#include "app/cli/usage.h"
#include "core/format/tables.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace kernscope::cli {

namespace {

using Options = std::shared_ptr<ChipOptions>;
using Run = int (*)(const ChipOptions &, Context &);

CLI::App *add(CLI::App &app, Context &context, const char *name, const char *text, Run run,
              const Options &options)
{
    CLI::App *command = app.add_subcommand(name, text);
    addCommonOptions(*command, context);
    command->callback([options, run, &context] { context.exitCode = run(*options, context); });
    return command;
}

CLI::Option *addPath(CLI::App &command, const Options &options, bool required = true)
{
    CLI::Option *path =
        command.add_option("path", options->path, "Bundle folder, program or weight file")
            ->type_name("PATH");
    if (required)
        path->required();
    return path;
}

void addChoice(CLI::App &command, const Options &options)
{
    command
        .add_option("--cores", options->cores,
                    "Cores by another source than the chapters (as `targets` lists them)")
        ->type_name("N");
}

void addDecide(CLI::App &app, Context &context)
{
    auto options = std::make_shared<ChipOptions>();
    CLI::App *command =
        add(app, context, "decide", "Say whether each weight streams or folds on a chip, and why",
            runDecide, options);
    addPath(*command, options);
    addExamples(*command,
                {"decide model.mlmodelc --target M1", "decide model.mlmodelc --all-targets"});
    addShapeOption(*command, options->shapes);
    command->add_flag("--all-targets", options->allTargets, "Judge by every chip");
    addChoice(*command, options);
    command
        ->add_option("--descriptor-version", options->descriptorVersion,
                     "Descriptor version by another source than the chapters")
        ->type_name("N");
}

void addGeometry(CLI::App &app, Context &context)
{
    auto options = std::make_shared<ChipOptions>();
    CLI::App *command =
        add(app, context, "geometry",
            "Output-channel groups, passes, cores, buffering and Winograd", runGeometry, options);
    CLI::Option *path = addPath(*command, options, false);
    addExamples(*command, {"geometry model.mlmodelc --target M1",
                           "geometry model.mlmodelc --shape image=1,3,640,640",
                           "geometry --channels 256:512 --kernel 3x3 --output-size 32x32"});
    addShapeOption(*command, options->shapes)->needs(path);
    addChoice(*command, options);
    CLI::Option *channels =
        command->add_option("--channels", options->channels, "Typed in instead of a bundle: IN:OUT")
            ->type_name("IN:OUT")
            ->excludes(path);
    command->add_option("--kernel", options->kernel, "Typed in: WxH or WxHxD")
        ->type_name("WxH")
        ->needs(channels);
    command->add_option("--output-size", options->output, "Typed in: WxH or WxHxD")
        ->type_name("WxH")
        ->needs(channels);
    command->add_option("--stride", options->stride, "Typed in: X or XxY")
        ->type_name("X")
        ->needs(channels);
    command->add_option("--weight-bits", options->weightBits, "Typed in: bits of a weight")
        ->check(CLI::IsMember({1, 2, 3, 4, 6, 8, 16}))
        ->needs(channels);
    command->add_option("--activation", options->activation, "Typed in: type of the activation")
        ->check(CLI::IsMember({"fp16", "int8", "uint8", "e4m3"}))
        ->capture_default_str();
    command->add_option("--density", options->density, "Typed in: share of weights not zero")
        ->check(notNan())
        ->check(CLI::Range(0.0, 1.0))
        ->needs(channels);
    command->add_option("--source-mode", options->mode, "tiny, small, default or other")
        ->check(CLI::IsMember({"tiny", "small", "default", "other"}));
    command->add_option("--reading", options->reading, "Of the group size: listing or formula")
        ->check(CLI::IsMember({"listing", "formula"}));
    command->add_option("--demand", options->demand, "Accumulator demand in work units")
        ->each([options](const std::string &) { options->demandGiven = true; });
}

void addRoofline(CLI::App &app, Context &context)
{
    auto options = std::make_shared<ChipOptions>();
    CLI::App *command = add(app, context, "roofline", "Place every layer under a chip's ceilings",
                            runRoofline, options);
    addPath(*command, options);
    addExamples(*command, {"roofline model.mlmodelc --target M1 --batch 4",
                           "roofline model.mlmodelc --shape image=1,3,640,640"});
    addShapeOption(*command, options->shapes);
    addChoice(*command, options);
    command->add_option("--batch", options->batch, "Inputs of a dispatch")->type_name("N");
    command->add_option("--compute", options->compute, "Compute ceiling, by name")
        ->type_name("NAME");
    command->add_option("--bandwidth", options->bandwidth, "Bandwidth ceiling, by name")
        ->type_name("NAME");
}

void addChoose(CLI::App &app, Context &context)
{
    auto options = std::make_shared<ChipOptions>();
    CLI::App *command = add(app, context, "choose",
                            "The form that each weight should take on a chip", runChoose, options);
    addPath(*command, options);
    addExamples(*command, {"choose model.mlmodelc --target M1 --tolerance 0.02"});
    addShapeOption(*command, options->shapes);
    addChoice(*command, options);
    command->add_option("--tolerance", options->tolerance, "Largest relative error of a layer")
        ->type_name("X")
        ->check(notNegative());
    command->add_option("--batch", options->batch, "Inputs of a dispatch")->type_name("N");
    command->add_option("--weight", options->weight, "This weight only")->type_name("NAME");
}

void addReduce(CLI::App &app, Context &context)
{
    auto options = std::make_shared<ChipOptions>();
    CLI::App *command =
        add(app, context, "reduce",
            "Numbers through the engine's reduction: tiles, accumulator, port", runReduce, options);
    command->add_option("values", options->values, "Numbers; VALUE*COUNT for COUNT of them")
        ->type_name("VALUE")
        ->required();
    CLI::Option *to =
        command->add_option("--to", options->to, "Narrow the result at the end to an 8-bit float")
            ->check(CLI::IsMember({"e4m3", "e5m2"}));
    command
        ->add_option("--overflow", options->overflow,
                     "What is past the largest number becomes (without it, both are shown)")
        ->check(CLI::IsMember({"nan", "saturate"}))
        ->needs(to);
    addExamples(*command, {"reduce 4096 '1*1024'", "reduce 8192 '1*16' --target M1",
                           "reduce 400 100 --to e4m3 --overflow saturate"});
}

void addFormats(CLI::App &app, Context &context)
{
    const auto options = std::make_shared<ChipOptions>();
    CLI::App *formats =
        add(app, context, "formats",
            "The kernel formats and what a chip's descriptor can hold, and the other numberings",
            runFormats, options);
    std::vector<std::string> names{"all"};
    for (const std::string_view name : tables::names())
        names.emplace_back(name);
    formats
        ->add_option("--facts", options->facts,
                     "The rows of a table of facts instead, each with its source; all: every table")
        ->type_name("TABLE")
        ->check(CLI::IsMember(names).description(""));
    addExamples(*formats, {"formats --target M4", "formats --facts hwx_codes"});
}

} // namespace

void addChips(CLI::App &app, Context &context)
{
    addDecide(app, context);
    addGeometry(app, context);
    addRoofline(app, context);
    addChoose(app, context);
    addReduce(app, context);
    CLI::App *calibrate =
        add(app, context, "calibrate", "Published measurements beside what is predicted for them",
            runCalibrate, std::make_shared<ChipOptions>());
    addExamples(*calibrate, {"calibrate", "calibrate --target M2 --json"});
    const auto targetsOptions = std::make_shared<ChipOptions>();
    CLI::App *targets =
        add(app, context, "targets", "The chips, their names and what is contested about them",
            runTargets, targetsOptions);
    targets->add_flag("--bytes", targetsOptions->bytes,
                      "The chip's capability bytes and scalars, operation floors, facts and rules");
    addExamples(*targets, {"targets", "targets --target M1 --json", "targets --target M5 --bytes"});
    addFormats(app, context);
}

} // namespace kernscope::cli
