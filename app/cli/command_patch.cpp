// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/patch_apply.h"
#include "app/cli/patch_edits.h"
#include "app/cli/patch_text.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/error_builder.h"
#include "core/report/command_json.h"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct PatchArguments {
    std::string path;
    std::string output;
    std::string apply, file;
    bool inPlace = false, dryRun = false, backup = false, breakLinks = false;
    double tolerance = 0;
    EditOptions edits;
};

std::string_view modeOf(const PatchArguments &arguments)
{
    return arguments.inPlace ? "in-place" : arguments.dryRun ? "dry-run" : "output";
}

/// Lays the planned edits over the bundle's files and saves them, where what they make is what the
/// scripts say. The bundle that is left shows them; it is let go right after.
Result<SaveReport> save(BundlePtr bundle, const std::vector<AppliedEdit> &edits,
                        const EditsGiven &given, const PatchArguments &arguments, Context &context)
{
    for (const AppliedEdit &edit : edits) {
        auto applied = applyEdit(bundle, edit);
        if (!applied)
            return tl::unexpected(std::move(applied.error()));
        bundle = std::move(*applied);
    }
    for (const OriginOfScript &script : given.origins) {
        if (auto same = patch::checkResult(script.origin, *bundle, script.path); !same)
            return tl::unexpected(std::move(same.error()));
    }
    if (arguments.inPlace) {
        const WritingScope scope;
        auto saved = saveInPlace(*bundle, {arguments.backup, arguments.breakLinks});
        if (saved && !saved->ranges.empty())
            noteWritten(arguments.path);
        return saved;
    }
    const ProgressLine line(context, "Copying");
    return writeCopy(context, *bundle, arguments.output);
}

/// A copy may not take the place of a script or an array either: they are read, so they are inputs.
Result<void> checkCopy(const Bundle &bundle, const EditsGiven &given,
                       const PatchArguments &arguments, const Context &context)
{
    if (arguments.output.empty())
        return {};
    OutputRules rules = outputRules(context, bundle);
    for (const OriginOfScript &script : given.origins)
        rules.inputs.emplace_back(script.path);
    for (const Edit &edit : given.edits) {
        if (!edit.file.empty())
            rules.inputs.emplace_back(edit.file);
    }
    std::error_code none;
    const bool folder = std::filesystem::is_directory(bundle.path(), none);
    const auto free =
        checkOutput(arguments.output, folder ? OutputKind::Folder : OutputKind::File, rules);
    return free ? Result<void>() : tl::unexpected(free.error());
}

void printResult(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                 const std::optional<SaveReport> &saved, const PatchArguments &arguments,
                 Context &context)
{
    Diagnostics diagnostics = bundle.diagnostics();
    if (saved)
        diagnostics.insert(diagnostics.end(), saved->warnings.begin(), saved->warnings.end());
    if (!context.json) {
        if (!context.quiet)
            print(patchText(bundle, edits, saved,
                            arguments.inPlace ? bundle.name() : arguments.output));
        printDiagnostics(context, diagnostics);
        return;
    }
    report::Json document = report::patchJson(bundle, edits, saved);
    report::addPatchRun(document, modeOf(arguments), arguments.output, arguments.tolerance);
    printDocument(context, document, diagnostics);
}

int runPatch(const PatchArguments &arguments, EditsGiven given, Context &context)
{
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(context, "patch", bundle.error());
    for (const OriginOfScript &script : given.origins) {
        if (const auto same = patch::checkBase(script.origin, **bundle, script.path); !same)
            return reportFailure(context, "patch", same.error());
    }
    if (const auto free = checkCopy(**bundle, given, arguments, context); !free)
        return reportFailure(context, "patch", free.error());
    if (const auto read = carryInput(**bundle, given.edits); !read)
        return reportFailure(context, "patch", read.error());
    const auto planned = [&] {
        const ProgressLine line(context, "Planning");
        return planEdits(*bundle, given.edits, arguments.tolerance, &context.progress);
    }();
    if (!planned)
        return reportFailure(context, "patch", planned.error());
    if (interrupted())
        return reportStopped(context, "patch");
    std::optional<SaveReport> saved;
    if (!arguments.dryRun) {
        auto report = save(*bundle, *planned, given, arguments, context);
        if (!report)
            return reportFailure(context, "patch", report.error());
        saved = std::move(*report);
        outputInPlace();
    }
    printResult(**bundle, *planned, saved, arguments, context);
    return kDone;
}

/// "--in-place and --output".
std::string modesGiven(const PatchArguments &arguments)
{
    std::string text;
    const auto add = [&text](bool given, std::string_view name) {
        if (given)
            text += fmt::format("{}{}", text.empty() ? "" : " and ", name);
    };
    add(arguments.inPlace, "--in-place");
    add(!arguments.output.empty(), "--output");
    add(arguments.dryRun, "--dry-run");
    return text;
}

/// What is wrong with the options beside --apply and --file; empty where nothing is.
std::string applyFault(const PatchArguments &arguments, bool edits)
{
    if (arguments.apply.empty())
        return arguments.file.empty() ? "" : "--file has an effect with --apply only";
    if (edits)
        return "--apply takes no edits beside it: make them in the copy";
    return arguments.inPlace ? "--apply may change the length of a file and writes a copy: give "
                               "--output"
                             : "";
}

/// What is wrong with the options together; empty where they can be run.
std::string patchUsageFault(const PatchArguments &arguments, bool anyEdit)
{
    if (!anyEdit && arguments.apply.empty())
        return "No edit is given";
    const int modes = (arguments.inPlace ? 1 : 0) + (arguments.dryRun ? 1 : 0) +
                      (arguments.output.empty() ? 0 : 1);
    if (modes == 0)
        return "One of --in-place, --output and --dry-run must be given";
    if (modes > 1)
        return fmt::format("{} exclude one another; give one of them", modesGiven(arguments));
    if (arguments.backup && !arguments.inPlace)
        return "--backup has an effect with --in-place only";
    if (arguments.breakLinks && !arguments.inPlace)
        return "--break-links has an effect with --in-place only";
    return applyFault(arguments, anyEdit);
}

int parseAndRun(const CLI::App &command, PatchArguments &arguments, Context &context)
{
    auto edits = editsInOrder(command, arguments.edits);
    const bool any = !edits || !edits->edits.empty();
    if (std::string fault = patchUsageFault(arguments, any); !fault.empty())
        return reportUsage(context, "patch", ErrorBuilder("patch.usage").message(std::move(fault)));
    if (!edits) {
        const int code = reportFailure(context, "patch", edits.error());
        return edits.error().code == "patch.syntax" ? kUsage : code;
    }
    if (!arguments.apply.empty())
        return runApply(
            {arguments.path, arguments.apply, arguments.file, arguments.output, arguments.dryRun},
            context);
    return runPatch(arguments, *std::move(edits), context);
}

} // namespace

void addPatch(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "patch",
        "Change single values of a bundle's weights, in place or in a copy; apply a binary "
        "patch");
    auto arguments = std::make_shared<PatchArguments>();
    command->add_option("path", arguments->path, "Bundle, program or weight file")
        ->required()
        ->type_name("PATH");
    addEditOptions(*command, arguments->edits);
    command
        ->add_option("--apply", arguments->apply,
                     "Apply an IPS or BPS patch of one file, as diff and other programs write it. "
                     "BPS says which file it is for and what comes of it, and both are checked; "
                     "IPS does not; - is standard input")
        ->type_name("FILE");
    command
        ->add_option("--file", arguments->file,
                     "Of a bundle of several files: the one that the patch is for")
        ->type_name("NAME");
    command->add_flag("--in-place", arguments->inPlace,
                      "Write the changed bytes into the files, and nothing else");
    CLI::Option *output =
        addOutput(*command, context, arguments->output, "Write a changed copy", "OUT");
    command->get_option("--force")->needs(output);
    command->add_flag("--dry-run", arguments->dryRun, "Print what would be written");
    command->add_flag("--backup", arguments->backup,
                      "With --in-place: keep a copy of each changed file beside the bundle, in "
                      "BUNDLE.bak, or BUNDLE.bak.2 and so on where that has another one");
    command->add_flag(
        "--break-links", arguments->breakLinks,
        "With --in-place: of a file with several names (hard links), which is refused "
        "otherwise, write a copy that takes this name");
    command
        ->add_option("--tolerance", arguments->tolerance,
                     "How far a stored value may be from the one asked for. 0 by default: exact, "
                     "but for the ordinary rounding of fp16, bf16 and fp32 numbers")
        ->type_name("X")
        ->check(notNegative());
    addCommonOptions(*command, context);
    addExamples(*command,
                {"patch model.mlmodelc --set 'conv1_weight[3,0,1,1]=0.5' --in-place",
                 "patch model.mlmodelc --fill 'conv1_weight[0:4,:]=0' -o changed.mlmodelc",
                 "patch model.mlmodelc --script edits.txt --dry-run",
                 "patch weight.bin --apply changes.bps -o patched.bin",
                 "patch model.mlmodelc --apply changes.bps --file weights/weight.bin -o "
                 "patched.mlmodelc"});
    command->callback([command, arguments, &context] {
        context.exitCode = parseAndRun(*command, *arguments, context);
    });
}

} // namespace kernscope::cli
