// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/patch_text.h"

#include "app/cli/text_output.h"
#include "core/report/edit_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

constexpr std::size_t kShownRanges = 16; ///< of one edit

std::string editedRangesText(const Bundle &bundle, const std::vector<AppliedEdit> &edits)
{
    std::vector<report::ChangedBytes> rows;
    std::size_t hidden = 0;
    for (const AppliedEdit &edit : edits) {
        const auto own = report::changedBytes(bundle, edit);
        const std::size_t shown = std::min(own.size(), kShownRanges);
        rows.insert(rows.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(shown));
        hidden += own.size() - shown;
    }
    if (rows.empty())
        return {};
    std::string text = "\n" + terminalText(textTable(report::changedBytesTable(), rows));
    if (hidden > 0)
        text += fmt::format("  and {}\n", counted(hidden, "more range"));
    return text;
}

} // namespace

std::string patchText(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                      const std::optional<SaveReport> &saved, const std::string &target)
{
    std::string text =
        terminalText(textTable(report::editTable(), report::editRows(bundle, edits))) +
        editedRangesText(bundle, edits) + "\n";
    if (!saved)
        return text + styled(Style::Bold, "Dry run: nothing was written") + "\n";
    if (saved->ranges.empty())
        return text + fmt::format("{}: nothing had to be changed\n", printable(target));
    const std::size_t ranges = saved->ranges.size();
    text += fmt::format("{}: {} changed in {}, {}\n", printable(target),
                        counted(saved->bytesWritten.value, "byte"), counted(ranges, "range"),
                        saved->verified ? styled(Style::Good, "read back and verified")
                                        : styled(Style::Bad, "not verified"));
    for (const std::filesystem::path &backup : saved->backups)
        text += fmt::format("backup: {}\n", printable(backup.string()));
    return text;
}

} // namespace kernscope::cli
