// SPDX-License-Identifier: GPL-3.0-or-later
// The options of collective, descriptor and activation.
#include "app/cli/engine.h"

#include <memory>

#include <CLI/CLI.hpp>

namespace kernscope::cli {

namespace {

/// The options of one reduction; the first of them.
CLI::Option *addAtomic(CLI::App &command, CollectiveOptions &options)
{
    CLI::Option *atomic =
        command
            .add_option("--reduction-type", options.reductionType,
                        "Reduction type: its atomic operation and the packed word")
            ->type_name("N");
    command.add_option("--data-type", options.dataType, "Atomic data type, for the packed word")
        ->type_name("N")
        ->needs(atomic);
    return atomic;
}

/// A tensor and how it is split over the mesh.
void addTensor(CLI::App &command, CollectiveOptions &options, CLI::Option *mesh)
{
    CLI::Option *tensor = command.add_option("--tensor", options.tensor, "Extents of a tensor")
                              ->type_name("NxN")
                              ->needs(mesh);
    command
        .add_option("--shard", options.shards, "Tensor axis over mesh axis, once for each split")
        ->type_name("T:M")
        ->needs(tensor);
}

void addCollective(CLI::App &app, Context &context)
{
    auto options = std::make_shared<CollectiveOptions>();
    CLI::App *command = app.add_subcommand(
        "collective", "The multi-die layer: operations, gates, meshes, sharding, setters");
    CLI::Option *mesh =
        command->add_option("--mesh", options->mesh, "Extents of a device mesh, axis by axis")
            ->type_name("NxN");
    command->add_option("--die-axis", options->dieAxis, "Axes below it count dies, others engines")
        ->type_name("N")
        ->needs(mesh);
    command
        ->add_option("--engines", options->engines,
                     "Engines of a die (as many as the inner axes address)")
        ->type_name("N")
        ->needs(mesh);
    CLI::Option *device =
        command->add_option("--device", options->device, "Coordinates: the engine index of it")
            ->delimiter(',')
            ->type_name("N,N")
            ->needs(mesh);
    CLI::Option *index =
        command->add_option("--index", options->index, "Engine index: the device that has it")
            ->type_name("N")
            ->needs(mesh);
    CLI::Option *members =
        command
            ->add_option("--members", options->members,
                         "Engine indices of a single-program layer: does it run on the device?")
            ->delimiter(',')
            ->type_name("N,N")
            ->needs(device);
    addTensor(*command, *options, mesh);
    CLI::Option *atomic = addAtomic(*command, *options);
    addCommonOptions(*command, context);
    addExamples(*command, {"collective --target M1",
                           "collective --mesh 2x2x4 --die-axis 2 --engines 4 --device 1,0,3",
                           "collective --mesh 2x4 --tensor 64x128 --shard 0:0 --shard 1:1",
                           "collective --reduction-type 5 --data-type 2"});
    command->callback([options, index, members, atomic, &context] {
        options->indexGiven = index->count() > 0;
        options->membersGiven = members->count() > 0;
        options->atomicGiven = atomic->count() > 0;
        context.exitCode = runCollective(*options, context);
    });
}

void addDescriptor(CLI::App &app, Context &context)
{
    auto options = std::make_shared<DescriptorOptions>();
    CLI::App *command = app.add_subcommand(
        "descriptor",
        "Register groups, coefficient streams, relocation registers, format word, ordering bits");
    command
        ->add_option("--descriptor-version", options->version,
                     "Descriptor version of the format word, instead of the chip's")
        ->type_name("N");
    CLI::Option *formats = command
                               ->add_option("--formats", options->formats,
                                            "Make the format word of source 1, source 2 and output")
                               ->delimiter(',')
                               ->expected(3)
                               ->type_name("IN,IN2,OUT");
    command
        ->add_option("--saturate", options->saturate,
                     "Sources whose E4M3 overflow saturates instead of giving NaN")
        ->delimiter(',')
        ->check(CLI::IsMember({"source1", "source2"}))
        ->needs(formats);
    command->add_option("--word", options->word, "Read the formats of a format word")
        ->type_name("WORD")
        ->excludes(formats);
    command->add_option("--image", options->image, "Read the ordering bits of a version-10 image")
        ->type_name("FILE");
    addCommonOptions(*command, context);
    addExamples(*command, {"descriptor", "descriptor --target H18 --formats e4m3,e4m3,fp16",
                           "descriptor --target H18 --word 0xa4"});
    command->callback([options, &context] { context.exitCode = runDescriptor(*options, context); });
}

void addActivation(CLI::App &app, Context &context)
{
    auto options = std::make_shared<ActivationOptions>();
    CLI::App *command = app.add_subcommand(
        "activation", "Activation tables: the 43 entries, the knots, the function at some inputs");
    command->add_option("path", options->path, "Container, weight section, or file with --at")
        ->required()
        ->type_name("PATH");
    CLI::Option *at =
        command->add_option("--at", options->at, "Offset of a table's first byte in the file")
            ->type_name("OFFSET");
    command->add_option("--name", options->name, "This table of the container only")
        ->type_name("NAME")
        ->excludes(at);
    command->add_option("--input", options->inputs, "Inputs to evaluate the function at")
        ->delimiter(',')
        ->type_name("X");
    command
        ->add_option("--layout", options->layout,
                     "Reading of entries 2 and 3, instead of what the record holds")
        ->check(CLI::IsMember({"text", "device"}));
    command->add_option("--arithmetic", options->arithmetic, "Round once or after each operation")
        ->check(CLI::IsMember({"exact", "half"}))
        ->capture_default_str();
    command->add_option("--tail", options->tail, "Outside the knots of a text layout")
        ->check(CLI::IsMember({"clamp", "linear"}))
        ->capture_default_str();
    addCommonOptions(*command, context);
    addExamples(*command,
                {"activation network.hwx --input -1,0,1", "activation kernel.bin --at 0x80"});
    command->callback([options, at, &context] {
        options->atGiven = at->count() > 0;
        context.exitCode = runActivation(*options, context);
    });
}

} // namespace

void addEngine(CLI::App &app, Context &context)
{
    addCollective(app, context);
    addDescriptor(app, context);
    addActivation(app, context);
}

} // namespace kernscope::cli
