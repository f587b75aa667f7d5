// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/patch_edits.h"
#include "app/cli/patch_text.h"
#include "app/cli/text_output.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct PatchArguments {
    std::string path;
    std::string output;
    bool inPlace = false, dryRun = false, backup = false;
    double tolerance = 0;
    EditOptions edits;
};

std::string_view modeOf(const PatchArguments &arguments)
{
    return arguments.inPlace ? "in-place" : arguments.dryRun ? "dry-run" : "output";
}

/// Lays the planned edits over the bundle's files and saves them. The bundle that is left shows
/// them; it is let go right after.
Result<SaveReport> save(BundlePtr bundle, const std::vector<AppliedEdit> &edits,
                        const PatchArguments &arguments, Session &session)
{
    for (const AppliedEdit &edit : edits) {
        auto applied = applyEdit(bundle, edit);
        if (!applied)
            return tl::unexpected(std::move(applied.error()));
        bundle = std::move(*applied);
    }
    if (arguments.inPlace)
        return saveInPlace(*bundle, arguments.backup);
    const ProgressLine line(session, "Copying");
    return saveCopy(*bundle, arguments.output, &session.progress);
}

void printResult(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                 const std::optional<SaveReport> &saved, const PatchArguments &arguments,
                 Session &session)
{
    if (!session.json) {
        if (!session.quiet)
            print(patchText(bundle, edits, saved,
                            arguments.inPlace ? bundle.name() : arguments.output));
        printDiagnostics(session, bundle.diagnostics());
        return;
    }
    report::Json document = report::patchJson(bundle, edits, saved);
    document["mode"] = modeOf(arguments);
    if (!arguments.output.empty())
        document["output"] = arguments.output;
    document["tolerance"] = arguments.tolerance;
    printDocument(session, document, bundle.diagnostics());
}

int runPatch(const PatchArguments &arguments, const std::vector<Edit> &edits, Session &session)
{
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(session, "patch", bundle.error());
    const auto planned = [&] {
        const ProgressLine line(session, "Planning");
        return planEdits(*bundle, edits, arguments.tolerance, &session.progress);
    }();
    if (interrupted())
        return kDone;
    if (!planned)
        return reportFailure(session, "patch", planned.error());
    std::optional<SaveReport> saved;
    if (!arguments.dryRun) {
        auto report = save(*bundle, *planned, arguments, session);
        if (interrupted() && !report)
            return kDone;
        if (!report)
            return reportFailure(session, "patch", report.error());
        saved = std::move(*report);
        outputInPlace();
    }
    printResult(**bundle, *planned, saved, arguments, session);
    return kDone;
}

int parseAndRun(const CLI::App &command, PatchArguments &arguments, Session &session)
{
    const int modes = (arguments.inPlace ? 1 : 0) + (arguments.dryRun ? 1 : 0) +
                      (arguments.output.empty() ? 0 : 1);
    Error wrong;
    wrong.code = "patch.usage";
    if (modes != 1)
        wrong.message = "One of --in-place, --output and --dry-run must be given";
    auto edits = editsInOrder(command, arguments.edits);
    if (edits && edits->empty())
        wrong.message = "No edit is given";
    if (!wrong.message.empty()) {
        reportFailure(session, "patch", wrong);
        return kUsage;
    }
    if (!edits) {
        const int code = reportFailure(session, "patch", edits.error());
        return edits.error().code == "patch.syntax" ? kUsage : code;
    }
    return runPatch(arguments, *edits, session);
}

} // namespace

void addPatch(CLI::App &app, Session &session)
{
    CLI::App *command = app.add_subcommand(
        "patch", "Change single values of a bundle's weights, in place or in a copy");
    auto arguments = std::make_shared<PatchArguments>();
    command->add_option("path", arguments->path, "Bundle, program or weight file")
        ->required()
        ->type_name("PATH");
    addEditOptions(*command, arguments->edits);
    command->add_flag("--in-place", arguments->inPlace,
                      "Write the changed bytes into the files, and nothing else");
    command->add_option("--output", arguments->output, "Write a changed copy")->type_name("OUT");
    command->add_flag("--dry-run", arguments->dryRun, "Print what would be written");
    command->add_flag("--backup", arguments->backup,
                      "With --in-place: keep a copy of each changed file as FILE.bak");
    command
        ->add_option("--tolerance", arguments->tolerance,
                     "How far a stored value may be from the one asked for. 0 by default: exact, "
                     "but for the ordinary rounding of fp16, bf16 and fp32 numbers")
        ->type_name("X")
        ->check(CLI::NonNegativeNumber);
    addCommonOptions(*command, session);
    command->callback([command, arguments, &session] {
        session.exitCode = parseAndRun(*command, *arguments, session);
    });
}

} // namespace kernscope::cli
