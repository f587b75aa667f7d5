// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/patch_text.h"

#include "app/cli/text_output.h"
#include "core/report/edit_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

using Align = Table::Align;

constexpr std::size_t kShownRanges = 16; ///< of one edit
constexpr std::size_t kShownBytes = 8;   ///< of one range

std::string hexText(const SharedBytes &bytes)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(bytes.size(), kShownBytes); ++i)
        text += fmt::format("{}{:02x}", i == 0 ? "" : " ", std::to_integer<unsigned>(bytes[i]));
    return bytes.size() > kShownBytes ? text + " …" : text;
}

std::string rangesText(const Bundle &bundle, const std::vector<AppliedEdit> &edits)
{
    Table table({{"file", Align::Name},
                 {"offset", Align::Right},
                 {"bytes", Align::Right},
                 {"before"},
                 {"after"}});
    std::size_t hidden = 0;
    for (const AppliedEdit &edit : edits) {
        for (std::size_t i = 0; i < edit.bytes.size(); ++i) {
            const FileEdit &bytes = edit.bytes[i];
            if (i >= kShownRanges) {
                ++hidden;
                continue;
            }
            table.add({bundle.files()[bytes.file].path, fmt::format("{:#x}", bytes.offset.value),
                       grouped(bytes.after.size()), hexText(bytes.before), hexText(bytes.after)});
        }
    }
    if (table.empty())
        return {};
    std::string text = "\n" + table.text();
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
        rangesText(bundle, edits) + "\n";
    if (!saved)
        return text + styled(Style::Bold, "Dry run: nothing was written") + "\n";
    if (saved->ranges.empty())
        return text + fmt::format("{}: nothing had to be changed\n", printable(target));
    const std::size_t ranges = saved->ranges.size();
    return text + fmt::format("{}: {} changed in {}, {}\n", printable(target),
                              counted(saved->bytesWritten.value, "byte"), counted(ranges, "range"),
                              saved->verified ? styled(Style::Good, "read back and verified")
                                              : styled(Style::Bad, "not verified"));
}

} // namespace kernscope::cli
