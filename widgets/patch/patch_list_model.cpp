// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/patch_list_model.h"

#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QFont>

namespace kernscope::ui {

namespace {

QString noteText(const AppliedEdit &edit)
{
    QStringList parts;
    for (const std::string &part : {edit.note, edit.edit.note}) {
        if (!part.empty())
            parts << fromUtf8(part);
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace

PatchListModel::PatchListModel(QObject *parent) : QAbstractTableModel(parent) {}

void PatchListModel::setPatches(BundlePtr bundle, std::vector<PatchEntry> patches)
{
    beginResetModel();
    m_bundle = std::move(bundle);
    m_patches = std::move(patches);
    endResetModel();
}

int PatchListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_patches.size());
}

int PatchListModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString PatchListModel::cellText(const PatchEntry &entry, int column) const
{
    const AppliedEdit &edit = *entry.edit;
    switch (column) {
    case State: return entry.active ? tr("on") : tr("off");
    case Place: return fromUtf8(editText(edit.edit));
    case Old: return fromUtf8(edit.oldText);
    case New: return fromUtf8(edit.newText);
    case Where: return m_bundle ? whereText(*m_bundle, edit) : QString();
    case Bytes: return groupedNumber(changedBytes(edit));
    case Note: return noteText(edit);
    default: return {};
    }
}

QVariant PatchListModel::sortValue(const PatchEntry &entry, int column) const
{
    if (column == Bytes)
        return QVariant::fromValue<qulonglong>(changedBytes(*entry.edit));
    return cellText(entry, column);
}

QVariant PatchListModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const PatchEntry &entry = at(index.row());
    const int column = index.column();
    const bool number = column == Old || column == New || column == Bytes;
    switch (role) {
    case Qt::DisplayRole: return cellText(entry, column);
    case Qt::CheckStateRole:
        return column == State ? QVariant(entry.active ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::TextAlignmentRole:
        return static_cast<int>(number ? Qt::AlignRight | Qt::AlignVCenter
                                       : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return entry.active ? QVariant() : QVariant(QPalette().color(QPalette::PlaceholderText));
    case Qt::FontRole: {
        QFont font;
        font.setStrikeOut(!entry.active);
        return column == State || entry.active ? QVariant() : QVariant(font);
    }
    case Qt::ToolTipRole:
        if (column == State)
            return entry.active ? tr("Clear to undo this edit and all later ones")
                                : tr("Tick to redo this edit and all earlier ones");
        return column == Where && m_bundle ? byteText(*m_bundle, *entry.edit)
                                           : cellText(entry, column);
    case CopyRole:
        return column == Bytes ? QString::number(changedBytes(*entry.edit))
                               : cellText(entry, column);
    case SortRole: return sortValue(entry, column);
    default: return {};
    }
}

QVariant PatchListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static const std::array<std::pair<const char *, const char *>, ColumnCount> kHeaders{{
        {QT_TR_NOOP("On"), QT_TR_NOOP("Cleared: undone, and can be redone")},
        {QT_TR_NOOP("Edit"), QT_TR_NOOP("The edit as the command line writes it")},
        {QT_TR_NOOP("Old"), QT_TR_NOOP("The value before")},
        {QT_TR_NOOP("New"), QT_TR_NOOP("The value that the form holds now")},
        {QT_TR_NOOP("Where"), QT_TR_NOOP("The first changed byte, and how many more runs")},
        {QT_TR_NOOP("Bytes"), QT_TR_NOOP("How many bytes change")},
        {QT_TR_NOOP("Note"), QT_TR_NOOP("What the form made of the value")},
    }};
    const auto &[title, meaning] = kHeaders[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return tr(title);
    if (role == Qt::ToolTipRole)
        return tr(meaning);
    if (role == Qt::TextAlignmentRole) {
        const bool number = section == Old || section == New || section == Bytes;
        return static_cast<int>(number ? Qt::AlignRight | Qt::AlignVCenter
                                       : Qt::AlignLeft | Qt::AlignVCenter);
    }
    return {};
}

Qt::ItemFlags PatchListModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags base = QAbstractTableModel::flags(index);
    const bool tick = index.isValid() && index.column() == State;
    return tick ? base | Qt::ItemIsUserCheckable : base;
}

bool PatchListModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::CheckStateRole || index.column() != State || !checkIndex(index))
        return false;
    const PatchEntry &entry = at(index.row());
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == entry.active)
        return false;
    Q_EMIT stepWanted(wanted ? entry.step + 1 : entry.step);
    return true;
}

} // namespace kernscope::ui
