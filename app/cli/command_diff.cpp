// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/diff_pairs.h"
#include "app/cli/diff_run.h"
#include "app/cli/output_file.h"
#include "app/cli/usage.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace kernscope::cli {

namespace {

/// More builds than this make no table that anybody reads.
constexpr int kMostBuilds = 64;

/// Options of which each is a limit on the values of every weight.
void addLimits(CLI::App &command, DiffArguments &arguments)
{
    ValueLimits &limits = arguments.limits.values;
    const auto add = [&](const char *name, std::optional<double> &limit, const char *what) {
        return command.add_option(name, limit, what)->type_name("X");
    };
    add("--max-abs,--tolerance", limits.maxAbs, "Largest |a - b| that holds")->check(notNegative());
    add("--max-rel", limits.maxRel, "Largest |a - b| / |a| that holds")->check(notNegative());
    add("--max-ulp", limits.maxUlp,
        "Largest distance that holds, in steps of the type of both sides; none holds between two "
        "types")
        ->check(notNegative());
    add("--min-cosine", limits.minCosine, "Least cosine similarity that holds")
        ->check(notNan())
        ->check(CLI::Range(-1.0, 1.0));
    add("--min-snr", limits.minSnr, "Least signal to noise ratio that holds, in dB")
        ->check(notNan())
        ->check(CLI::Number);
    command.add_flag("--allow-missing", arguments.limits.allowMissing,
                     "Weights that one side alone has do not matter");
    command.add_flag("--same-program", arguments.limits.sameProgram,
                     "The operations must be equal; alone, nothing else matters");
    command
        .add_option("--rules", arguments.rules,
                    "TOML file of limits (- is standard input): for every weight, and for those "
                    "that a name "
                    "matches")
        ->type_name("FILE");
}

/// Options of which each asks for more than the figures of every pair.
void addFindings(CLI::App &command, DiffArguments &arguments)
{
    command.add_flag("--check-forms", arguments.checkForms,
                     "Say how well B stores the values of A: patterns of masks, palette entries "
                     "that are not the nearest, clipped and unused codes, scales that are not the "
                     "best (implies --values)");
    command
        .add_option("--worst", arguments.worst,
                    "Name the N output channels and elements that are furthest apart in every "
                    "weight that differs (implies --values)")
        ->type_name("N")
        ->check(CLI::Range(1, 10000));
    command
        .add_option("--steps", arguments.steps,
                    "Of the elements of --worst only those that are so many steps of the type of A "
                    "apart; 0 are the equal ones")
        ->type_name("FIRST:LAST")
        ->check([](const std::string &text) {
            return stepsOf(text) ? std::string() : "FIRST:LAST with FIRST up to LAST: " + text;
        });
    command.add_flag("--channels", arguments.channels,
                     "Figures of every output channel of the weights that differ, the worst first "
                     "(implies --values)");
    command.add_flag("--histograms", arguments.histograms,
                     "How often each value occurs in A and in B, all elements in bins (implies "
                     "--values)");
    command.add_flag(
        "--ranges", arguments.ranges,
        "List the ranges of bytes that differ: offsets on both sides, part, weight and "
        "elements, at most 10,000");
    command.add_flag("--codebooks", arguments.codebooks,
                     "Set the codebooks of pairs of palettes against each other, entry by entry: "
                     "moved, changed, split, merged, unused");
}

void addFormat(CLI::App &command, DiffArguments &arguments, Context &context)
{
    command
        .add_option("--format", arguments.format,
                    "Format of the report; changes: a script for patch that makes B out of A; ips, "
                    "bps: a patch of the one file that differs, for other programs")
        ->type_name("NAME")
        ->check(CLI::IsMember(
            {"text", "json", "junit", "markdown", "html", "csv", "changes", "ips", "bps"}));
    command
        .add_option("--order", arguments.order,
                    "Weights in the reports: the worst first (worst), as text, Markdown and HTML "
                    "have them unless told, or in the order of A (a), as JSON, JUnit and CSV do")
        ->type_name("ORDER")
        ->check(CLI::IsMember({"worst", "a"}));
    addStreamOutput(
        command, context, arguments.output,
        "Write the report to this file; its name gives the format where --format does not", "FILE");
}

void addDiffExamples(CLI::App &command)
{
    addExamples(command,
                {"diff old.mlmodelc new.mlmodelc",
                 "diff --max-abs 0.001 --same-program old.mlmodelc new.mlmodelc",
                 "diff --channels --worst 20 --histograms dense.mlmodelc palette.mlmodelc",
                 "diff --codebooks palette_old.mlmodelc palette_new.mlmodelc",
                 "diff --rules limits.toml --output report.html dense.mlmodelc pruned.mlmodelc",
                 "diff --pair conv_0_weight=enc.conv.weight --values old.mlmodelc new.mlmodelc",
                 "diff old/weights/weight.bin new/weights/weight.bin --output changes.bps",
                 "diff dense.mlmodelc palette.mlmodelc sparse.mlmodelc"});
}

/// What no single option says: throws CLI::ValidationError.
void checkFormat(const DiffArguments &arguments, const Context &context)
{
    const bool other = !arguments.format.empty() && arguments.format != "json";
    if (context.json && other && arguments.output.empty())
        throw CLI::ValidationError("--format", "--json asks for another format");
    const auto wanted = reportFormat(arguments);
    if (!wanted)
        throw UsageFailure{wanted.error()};
    const std::string &format = *wanted;
    const bool binary = format == "ips" || format == "bps";
    // Where no format is named, the name of the output says which one it is.
    const char *const option = arguments.format.empty() ? "--output" : "--format";
    if ((format == "changes" || binary) && arguments.paths.size() > 2)
        throw CLI::ValidationError(option,
                                   fmt::format("{} holds what differs between two bundles, not {}",
                                               format, arguments.paths.size()));
    if (!arguments.steps.empty() && arguments.worst == 0)
        throw CLI::ValidationError("--steps", "says which elements --worst names");
    if (binary && (arguments.output.empty() || arguments.output == "-"))
        throw CLI::ValidationError("--format", "a binary patch needs an --output file");
}

} // namespace

void addDiff(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "diff", "Pair the weights of builds and compare program, stored bytes and values");
    auto arguments = std::make_shared<DiffArguments>();
    command
        ->add_option("paths", arguments->paths,
                     "Bundles, programs or weight files: the first is compared with every other")
        ->required()
        ->expected(2, kMostBuilds)
        ->type_name("PATH");
    command->add_flag("--values", arguments->options.values,
                      "Compare the decoded values as well; limits imply it");
    command
        ->add_option("--pair", arguments->pairs,
                     "Take these two weights for one, by hand; A= or =B leaves a weight without a "
                     "partner (repeatable)")
        ->type_name("A=B")
        ->allow_extra_args(false)
        ->check([](const std::string &text) {
            return text.find('=') != std::string::npos && text.size() > 1
                       ? std::string()
                       : std::string("two names with = between them are expected");
        });
    addFindings(*command, *arguments);
    addLimits(*command, *arguments);
    addFormat(*command, *arguments, context);
    addCommonOptions(*command, context);
    addDiffExamples(*command);
    command->callback([arguments, &context] {
        checkFormat(*arguments, context);
        context.exitCode = runDiff(*arguments, context);
    });
}

} // namespace kernscope::cli
