// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/patch_list_model.h"
#include "widgets/models/table_text.h"

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr std::size_t kMaxRuns = 64;
constexpr std::size_t kMaxBytesOfRun = 32;

QString fileName(const Bundle &bundle, std::size_t file)
{
    return file < bundle.files().size() ? fromUtf8(bundle.files()[file].path) : QString();
}

QString hexBytes(const std::vector<std::byte> &bytes)
{
    QStringList digits;
    for (std::size_t i = 0; i < std::min(bytes.size(), kMaxBytesOfRun); ++i)
        digits << QStringLiteral("%1").arg(std::to_integer<unsigned>(bytes[i]), 2, 16,
                                           QLatin1Char('0'));
    if (bytes.size() > kMaxBytesOfRun)
        digits << QStringLiteral("\u2026");
    return digits.join(QLatin1Char(' '));
}

QString shellQuoted(QString text)
{
    text.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

} // namespace

std::uint64_t changedBytes(const AppliedEdit &edit)
{
    std::uint64_t bytes = 0;
    for (const FileEdit &run : edit.bytes)
        bytes += run.after.size();
    return bytes;
}

QString whereText(const Bundle &bundle, const AppliedEdit &edit)
{
    if (edit.bytes.empty())
        return PatchListModel::tr("nowhere: it was stored already");
    const FileEdit &first = edit.bytes.front();
    const QString text =
        QStringLiteral("%1+%2").arg(fileName(bundle, first.file), hexNumber(first.offset.value));
    const auto more = edit.bytes.size() - 1;
    return more == 0 ? text : PatchListModel::tr("%1 (+%2 more)").arg(text, groupedNumber(more));
}

QString byteText(const Bundle &bundle, const AppliedEdit &edit)
{
    QStringList lines;
    for (std::size_t i = 0; i < std::min(edit.bytes.size(), kMaxRuns); ++i) {
        const FileEdit &run = edit.bytes[i];
        lines << PatchListModel::tr("%1+%2  %3 B")
                     .arg(fileName(bundle, run.file), hexNumber(run.offset.value),
                          groupedNumber(run.after.size()));
        lines << QStringLiteral("    - %1").arg(hexBytes(run.before));
        lines << QStringLiteral("    + %1").arg(hexBytes(run.after));
    }
    if (edit.bytes.size() > kMaxRuns)
        lines << PatchListModel::tr("and %1 more runs")
                     .arg(groupedNumber(edit.bytes.size() - kMaxRuns));
    return lines.join(QLatin1Char('\n'));
}

QString patchCommandLine(const QString &path, const std::vector<PatchEntry> &patches)
{
    QStringList words{QStringLiteral("kernscope-cli"), QStringLiteral("patch"), shellQuoted(path)};
    for (const PatchEntry &entry : patches) {
        if (entry.active)
            words << QStringLiteral("--%1 %2").arg(
                fromUtf8(editKindName(entry.edit->edit.kind)),
                shellQuoted(fromUtf8(editText(entry.edit->edit))));
    }
    words << QStringLiteral("--in-place");
    return words.join(QLatin1Char(' '));
}

QString patchScript(const std::vector<PatchEntry> &patches)
{
    QString script;
    for (const PatchEntry &entry : patches) {
        if (entry.active)
            script += QStringLiteral("%1 %2\n").arg(fromUtf8(editKindName(entry.edit->edit.kind)),
                                                    fromUtf8(editText(entry.edit->edit)));
    }
    return script;
}

} // namespace kernscope::ui
