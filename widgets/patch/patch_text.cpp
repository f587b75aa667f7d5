// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/table_text.h"
#include "widgets/patch/patch_list_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// The edit with the value that the form holds: the command line takes nothing less exact unless it
/// is told to.
Edit heldEdit(const AppliedEdit &applied)
{
    Edit edit = applied.edit;
    const bool single = edit.kind == Edit::Kind::Set || edit.kind == Edit::Kind::Keep ||
                        edit.kind == Edit::Kind::Codebook || edit.kind == Edit::Kind::Scale;
    if (single)
        edit.value = applied.stored;
    return edit;
}

/// How far the edits of many elements may be off; 0 where all are exact.
double largestError(const std::vector<PatchEntry> &patches)
{
    double largest = 0;
    for (const PatchEntry &entry : patches) {
        const Edit::Kind kind = entry.edit->edit.kind;
        if (entry.active && (kind == Edit::Kind::Fill || kind == Edit::Kind::FromNpy))
            largest = std::max(largest, std::abs(entry.edit->asked - entry.edit->stored));
    }
    return largest;
}

} // namespace

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
        if (!entry.active)
            continue;
        const Edit edit = heldEdit(*entry.edit);
        words << QStringLiteral("--%1 %2").arg(fromUtf8(editKindName(edit.kind)),
                                               shellQuoted(rawFromUtf8(editText(edit))));
    }
    if (const double error = largestError(patches); error > 0)
        words << QStringLiteral("--tolerance %1")
                     .arg(std::nextafter(error, std::numeric_limits<double>::infinity()), 0, 'g',
                          17);
    words << QStringLiteral("--in-place");
    return words.join(QLatin1Char(' '));
}

QString patchScript(const std::vector<PatchEntry> &patches)
{
    QString script;
    for (const PatchEntry &entry : patches) {
        if (!entry.active)
            continue;
        const Edit edit = heldEdit(*entry.edit);
        script += QStringLiteral("%1 %2\n").arg(fromUtf8(editKindName(edit.kind)),
                                                rawFromUtf8(editText(edit)));
    }
    return script;
}

} // namespace kernscope::ui
