// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/patch_list_model.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/copy_values.h"
#include "core/patch/edit/edit_parser.h"
#include "widgets/models/theme.h"

#include <QFont>

#include <cmath>

namespace kernscope::ui {

WeightNameModel::WeightNameModel(Session &session, QObject *parent)
    : QAbstractListModel(parent), m_session(session)
{
    connect(&session, &Session::bundleChanged, this, [this] { count(true); });
    // An edit leaves the names; shapes that are bound may leave other weights.
    connect(&session, &Session::bytesChanged, this, [this] { count(false); });
    count(true);
}

/// `another`: the names are others even where they are as many.
void WeightNameModel::count(bool another)
{
    const BundlePtr &bundle = m_session.bundle();
    const std::size_t weights = bundle ? bundle->weights().size() : 0;
    const int rows = static_cast<int>(std::min<std::size_t>(weights, kMostNames));
    if (!another && rows == m_rows)
        return;
    beginResetModel();
    m_rows = rows;
    endResetModel();
}

int WeightNameModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

QVariant WeightNameModel::data(const QModelIndex &index, int role) const
{
    const BundlePtr &bundle = m_session.bundle();
    const auto weight = static_cast<std::size_t>(index.row());
    const bool text = role == Qt::DisplayRole || role == Qt::EditRole;
    // Until the signal of another bundle has come, the rows are those of the one before.
    if (!index.isValid() || !text || !bundle || weight >= bundle->weights().size())
        return {};
    return rawFromUtf8(bundle->weights()[weight].findableName());
}

namespace {

/// What a person wrote comes first: a narrow column has no room for both.
QString noteText(const PatchEntry &entry)
{
    QStringList parts;
    for (const std::string &part : {entry.note, entry.edit->note}) {
        if (!part.empty())
            parts << fromUtf8(part);
    }
    return parts.join(QStringLiteral("; "));
}

/// Where the file has no room: the offset, whole.
QString shortWhereText(const AppliedEdit &edit)
{
    return edit.bytes.empty()
               ? QString()
               : QChar(0x2026) + QLatin1Char('+') + hexNumber(edit.bytes.front().offset.value);
}

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

/// Whether bytes of an edit that is on differ from the disk.
bool unsaved(const BundlePtr &bundle, const PatchEntry &entry)
{
    return bundle && entry.active &&
           std::any_of(entry.edit->bytes.begin(), entry.edit->bytes.end(),
                       [&](const FileEdit &run) {
                           return bundle->files()[run.file].file->changed(
                               {run.offset, ByteCount(run.after.size())});
                       });
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

void PatchListModel::setPatches(BundlePtr bundle, std::vector<PatchEntry> patches)
{
    replaceRows(false, [&] {
        m_bundle = std::move(bundle);
        m_patches = std::move(patches);
    });
}

QVariant PatchListModel::lookOf(std::size_t row, int column, int role) const
{
    const PatchEntry &entry = m_patches[row];
    const std::string_view key = keyOf(column);
    switch (role) {
    case Qt::DisplayRole:
        if (key == "where")
            return m_bundle ? whereText(*m_bundle, *entry.edit) : QString();
        if (key == "active") // the tick says it; the mark what is not on the disk yet
            return unsaved(m_bundle, entry) ? theme::glyph(Token::MarkChanged) : QString();
        return key == "note" ? QVariant(noteText(entry)) : QVariant();
    case kShortNameRole: return key == "where" ? QVariant(shortWhereText(*entry.edit)) : QVariant();
    case Qt::EditRole: return key == "note" ? QVariant(rawFromUtf8(entry.note)) : QVariant();
    case Qt::CheckStateRole:
        return key == "active" ? QVariant(entry.active ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::ForegroundRole:
        return entry.active ? QVariant() : QVariant(QPalette().color(QPalette::PlaceholderText));
    case Qt::FontRole: {
        if (key == "active" || entry.active)
            return {};
        QFont font;
        font.setStrikeOut(true);
        return font;
    }
    case Qt::ToolTipRole:
        if (key == "active")
            return unsaved(m_bundle, entry)
                       ? tr("Not saved yet. Clear to switch this edit off; the others stay")
                   : entry.active ? tr("Clear to switch this edit off; the others stay")
                   : entry.off    ? tr("Tick to switch this edit on again")
                                  : tr("Undone: tick to redo it and those before it");
        if (key == "note" && entry.note.empty())
            return tr("F2 writes a note");
        return key == "where" && m_bundle ? QVariant(byteText(*m_bundle, *entry.edit)) : QVariant();
    default: return {};
    }
}

Qt::ItemFlags PatchListModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags base = DeclaredTable::flags(index);
    if (!index.isValid())
        return base;
    const std::string_view key = keyOf(index.column());
    return key == "active" ? base | Qt::ItemIsUserCheckable
           : key == "note" ? base | Qt::ItemIsEditable
                           : base;
}

bool PatchListModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return false;
    const std::string_view key = keyOf(index.column());
    const auto row = static_cast<std::size_t>(index.row());
    if (role == Qt::EditRole && key == "note") {
        if (value.toString() == rawFromUtf8(at(index.row()).note))
            return false;
        Q_EMIT noteWritten(row, value.toString());
        return true;
    }
    if (role != Qt::CheckStateRole || key != "active")
        return false;
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == at(index.row()).active)
        return false;
    Q_EMIT switchWanted(row, wanted);
    return true;
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
        lines << PatchListModel::tr("%1+%2  %3\u00A0B")
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

#include "moc_patch_list_model.cpp"
