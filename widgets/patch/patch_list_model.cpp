// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/patch_list_model.h"

#include "core/report/edit_table.h"
#include "widgets/common/short_names.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QFont>
#include <QPalette>

namespace kernscope::ui {

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

} // namespace

PatchListModel::PatchListModel(QObject *parent)
    : RowTableModel(report::editTable().facts(), report::editTable().windowOrder, parent)
{
}

void PatchListModel::setPatches(BundlePtr bundle, std::vector<PatchEntry> patches)
{
    replaceRows(false, [&] {
        m_bundle = std::move(bundle);
        m_patches = std::move(patches);
    });
}

report::Value PatchListModel::valueOf(std::size_t row, std::size_t declared) const
{
    const PatchEntry &entry = m_patches[row];
    return report::editTable().columns[declared].value(
        {m_bundle.get(), entry.edit.get(), entry.active});
}

QVariant PatchListModel::lookOf(std::size_t row, int column, int role) const
{
    const PatchEntry &entry = m_patches[row];
    const std::string_view key = keyOf(column);
    switch (role) {
    case Qt::DisplayRole:
        if (key == "where")
            return m_bundle ? whereText(*m_bundle, *entry.edit) : QString();
        if (key == "active")
            return QString(); // the tick says it
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
            return entry.active ? tr("Clear to switch this edit off; the others stay")
                   : entry.off  ? tr("Tick to switch this edit on again")
                                : tr("Undone: tick to redo it and those before it");
        if (key == "note" && entry.note.empty())
            return tr("F2 writes a note");
        return key == "where" && m_bundle ? QVariant(byteText(*m_bundle, *entry.edit)) : QVariant();
    default: return {};
    }
}

Qt::ItemFlags PatchListModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags base = RowTableModel::flags(index);
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

} // namespace kernscope::ui

#include "moc_patch_list_model.cpp"
