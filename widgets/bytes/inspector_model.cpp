// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/inspector_model.h"

namespace kernscope::ui {

InspectorModel::InspectorModel(QObject *parent)
    : QAbstractTableModel(parent), m_rows(inspectBytes({}))
{
}

void InspectorModel::setBytes(std::span<const std::byte> bytes)
{
    m_rows = inspectBytes(bytes, m_big);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int InspectorModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int InspectorModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant InspectorModel::data(const QModelIndex &at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const InspectedValue &row = m_rows[static_cast<std::size_t>(at.row())];
    switch (role) {
    case Qt::DisplayRole:
        if (at.column() == Name)
            return row.name;
        return row.value.isEmpty() ? QStringLiteral("\u2013") : row.value;
    case Qt::AccessibleTextRole:
        return at.column() == Value ? QStringLiteral("%1: %2").arg(row.name, row.value) : row.name;
    case Qt::ToolTipRole: return QStringLiteral("%1: %2").arg(row.tip, row.value);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (at.column() == Value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    default: return {};
    }
}

QVariant InspectorModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return section == Name ? tr("Read as") : tr("Value");
    if (role == Qt::ToolTipRole)
        return section == Name ? tr("How the bytes from the cursor on are read")
                               : tr("What they then mean");
    return {};
}

} // namespace kernscope::ui
