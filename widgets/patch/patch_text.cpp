// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/patch/edit/carried_values.h"
#include "core/patch/edit/script_text.h"
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

QString hexBytes(const SharedBytes &bytes)
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

std::vector<std::shared_ptr<const AppliedEdit>> activeEdits(const std::vector<PatchEntry> &patches)
{
    std::vector<std::shared_ptr<const AppliedEdit>> active;
    for (const PatchEntry &entry : patches) {
        if (entry.active)
            active.push_back(entry.edit);
    }
    return active;
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

std::vector<Edit> scriptLines(const std::vector<PatchEntry> &patches)
{
    std::vector<Edit> lines;
    for (const PatchEntry &entry : patches) {
        if (!entry.active)
            continue;
        lines.push_back(patch::heldEdit(*entry.edit));
        lines.back().note = entry.note;
    }
    return lines;
}

QString patchCommandLine(const QString &path, const std::vector<PatchEntry> &patches)
{
    QStringList words{QStringLiteral("kernscope-cli"), QStringLiteral("patch"), shellQuoted(path)};
    const auto add = [&words](const QString &kind, const QString &text) {
        words << QStringLiteral("--%1 %2").arg(kind, shellQuoted(text));
    };
    for (const Edit &edit : scriptLines(patches)) {
        if (!patch::carriesValues(edit)) {
            add(fromUtf8(editKindName(edit.kind)), rawFromUtf8(editText(edit)));
            continue;
        }
        const QStringList lines =
            rawFromUtf8(patch::carriedScript(edit)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        for (const QString &line : lines)
            add(line.section(QLatin1Char(' '), 0, 0), line.section(QLatin1Char(' '), 1));
    }
    if (const double miss = patch::largestMiss(activeEdits(patches)); miss > 0)
        words << QStringLiteral("--tolerance %1")
                     .arg(std::nextafter(miss, std::numeric_limits<double>::infinity()), 0, 'g',
                          17);
    words << QStringLiteral("--in-place");
    return words.join(QLatin1Char(' '));
}

QString patchScript(const std::vector<PatchEntry> &patches)
{
    return rawFromUtf8(patch::scriptText(scriptLines(patches)));
}

Result<std::string> patchFile(const BundlePtr &bundle, const std::vector<PatchEntry> &patches,
                              Progress &progress)
{
    return patch::editScript(bundle, activeEdits(patches), scriptLines(patches), &progress);
}

} // namespace kernscope::ui
