// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/section_run.h"
#include "app/cli/usage.h"

#include <memory>

#include <CLI/CLI.hpp>

namespace kernscope::cli {

namespace {

/// Options of the slices of a hardware container.
void addSlices(CLI::App &command, SectionOptions &options)
{
    CLI::Option *slices =
        command.add_flag("--hwx-slices", options.hwxSlices,
                         "Write the slices of a container for H13 or H14 instead, end to end");
    command
        .add_flag("--leave-zeros", options.sparseSlices,
                  "Slices that leave zeros out (with --hwx-slices)")
        ->needs(slices);
    command
        .add_option("--image-side", options.imageSide,
                    "Larger side of the task's image (with --hwx-slices)")
        ->needs(slices);
}

void addBuild(CLI::App &parent, Context &context)
{
    auto options = std::make_shared<SectionOptions>();
    CLI::App *command = parent.add_subcommand("build", "Build a section from weights of a bundle");
    command->add_option("path", options->path, "Bundle")->required()->type_name("PATH");
    command->add_option("names", options->names, "Weights; without any, all of them")
        ->type_name("NAME");
    addOutput(*command, context, options->output, "File to write", "OUT")->required();
    command->add_option("--form", options->made.form, "How to store them")
        ->check(CLI::IsMember({"stored", "dense", "sparse", "palette", "affine"}))
        ->capture_default_str();
    command
        ->add_option("--bits", options->made.bits, "Bits of a palette's indices (--form palette)")
        ->capture_default_str();
    command
        ->add_option("--vector", options->made.vector,
                     "Output channels that one entry serves (--form palette)")
        ->capture_default_str();
    command
        ->add_option("--entries", options->made.entries,
                     "Type of a codebook's entries (--form palette)")
        ->check(CLI::IsMember({"fp16", "int8", "e4m3"}))
        ->capture_default_str();
    command
        ->add_option("--cores", options->made.cores,
                     "Cores that share each weight; without it, those of the chip")
        ->check(CLI::Range(1, 256));
    command
        ->add_option("--lanes", options->made.lanes,
                     "Most channels of a group; without it one: channel c on core c mod cores")
        ->check(CLI::Range(1, 65536));
    command->get_option("--force")->description(
        "Replace the output where it exists, and write a form that the chip has no encoder for, "
        "with a warning");
    addSlices(*command, *options);
    addCommonOptions(*command, context);
    addExamples(*command, {"section build model.mlmodelc conv1_weight --form palette -o w.ksec",
                           "section build model.mlmodelc --target M1 -o w.ksec",
                           "section build model.mlmodelc w --form palette --entries e4m3 --target "
                           "H18 -o w.ksec"});
    command->callback([options, command, &context] {
        for (const char *name : {"--bits", "--vector", "--entries"}) {
            if (options->made.form != "palette" && command->count(name) > 0)
                throw UsageFailure{usageError(name, "--form palette",
                                              "--form " + options->made.form,
                                              std::string(name) + " has no effect here")};
        }
        context.exitCode = options->hwxSlices ? runSectionSlices(*options, context)
                                              : runSectionBuild(*options, context);
    });
}

void addWrite(CLI::App &parent, Context &context, bool strip)
{
    auto options = std::make_shared<SectionOptions>();
    CLI::App *command = parent.add_subcommand(
        strip ? "strip" : "relocate",
        strip ? "Take the addresses back" : "Fill the slots with addresses, as a loader would");
    command->add_option("path", options->path, "Weight section")->required()->type_name("PATH");
    auto *output = addOutput(*command, context, options->output, "File to write", "OUT");
    command->get_option("--force")->needs(output);
    command->add_flag("--in-place", options->inPlace, "Write the file itself")->excludes(output);
    if (!strip) {
        command->add_option("--base", options->base, "Address of the file's first byte")
            ->required()
            ->type_name("ADDRESS");
        command->add_option("--input-tile", options->inputTile, "Address of the input tile");
        command->add_option("--output-tile", options->outputTile, "Address of the output tile");
    }
    addCommonOptions(*command, context);
    addExamples(*command, {strip ? "section strip loaded.ksec -o w.ksec"
                                 : "section relocate w.ksec --base 0x40000 -o loaded.ksec"});
    command->callback([options, strip, &context] {
        context.exitCode = runSectionRelocate(*options, strip, context);
    });
}

} // namespace

void addSection(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "section", "Weight sections: build, list, relocate, strip (kernel units and their groups)");
    command->require_subcommand(1);
    addBuild(*command, context);
    auto options = std::make_shared<SectionOptions>();
    CLI::App *list = command->add_subcommand("list", "Show the units, groups and slots");
    list->add_option("path", options->path, "Weight section")->required()->type_name("PATH");
    addCommonOptions(*list, context);
    addExamples(*list, {"section list w.ksec"});
    list->callback([options, &context] { context.exitCode = runSectionList(*options, context); });
    addWrite(*command, context, false);
    addWrite(*command, context, true);
}

} // namespace kernscope::cli
