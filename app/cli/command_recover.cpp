// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/patch/interrupted_save.h"
#include "core/report/edit_table.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct RecoverArguments {
    std::string path;
    bool finish = false, discard = false, dryRun = false;
};

constexpr std::size_t kShownRuns = 32; ///< of one journal

std::string runsText(const std::vector<WrittenRange> &ranges)
{
    const std::span shown = std::span(ranges).first(std::min(ranges.size(), kShownRuns));
    std::string text =
        shown.empty() ? std::string() : tableText(report::writtenRangeTable(), shown);
    if (ranges.size() > kShownRuns)
        text += fmt::format("  and {}\n", counted(ranges.size() - kShownRuns, "more range"));
    return text;
}

std::string saveText(const RecoveredSave &done, RecoverAction action, bool dryRun)
{
    const std::string journal = printable(done.save.journal.filename().string());
    const std::string_view will = dryRun ? "would be " : "";
    if (action == RecoverAction::Discard)
        return fmt::format("{}: {}removed; the files stay as they are\n", journal, will);
    return fmt::format("{}: the save {}{}, {} bytes {}written in {} ranges{}\n", journal, will,
                       action == RecoverAction::Finish ? "finished" : "undone",
                       grouped(done.bytesWritten.value), will, grouped(done.ranges.size()),
                       dryRun ? "" : ", read back and verified") +
           runsText(done.ranges);
}

int runRecover(const RecoverArguments &arguments, Context &context)
{
    const auto action = arguments.finish    ? RecoverAction::Finish
                        : arguments.discard ? RecoverAction::Discard
                                            : RecoverAction::Undo;
    const auto report = recoverSave(arguments.path, action, arguments.dryRun, &context.progress);
    if (!report && report.error().code == "task.cancelled" && !report.error().found.empty())
        noteWritten("a part of " + arguments.path + ", whose journal is still there,");
    if (!report)
        throw CommandFailure{report.error()};
    printAnswer(
        context, report->warnings,
        [&] { return report::recoverJson(arguments.path, action, arguments.dryRun, *report); },
        [&] {
            if (report->saves.empty())
                return fmt::format("{}: no save was interrupted, nothing to recover\n",
                                   printable(arguments.path));
            std::string text;
            for (const RecoveredSave &done : report->saves)
                text += saveText(done, action, arguments.dryRun);
            if (arguments.dryRun)
                text += styled(Style::Bold, "Dry run: nothing was written") + "\n";
            return text;
        });
    return kDone;
}

} // namespace

void addRecover(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<RecoverArguments>(
        app, context, "recover", "Undo or finish a save in place that was interrupted", runRecover);
    addPath(*command, arguments->path);
    CLI::Option *finish =
        command->add_flag("--finish", arguments->finish,
                          "Write the rest of the new bytes; without it the old ones are put back");
    command
        ->add_flag("--discard", arguments->discard,
                   "Leave the files as they are and remove the journal, also a damaged one")
        ->excludes(finish);
    command->add_flag("--dry-run", arguments->dryRun, "Print what would be written");
    addCommonOptions(*command, context, false);
    addExamples(*command, {"recover model.mlmodelc --dry-run", "recover model.mlmodelc"});
}

} // namespace kernscope::cli
