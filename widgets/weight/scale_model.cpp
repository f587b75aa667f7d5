// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/scale_model.h"

#include "widgets/common/table_text.h"
#include "widgets/common/typed_number.h"
#include "widgets/weight/weight_words.h"

#include <algorithm>
#include <limits>

namespace kernscope::ui {

void ScaleModel::setScales(ScaleData data)
{
    // The same scales after an edit: what is chosen stays chosen.
    if (!data.scales.empty() && data.rows() == m_data.rows()) {
        m_data = std::move(data);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_data = std::move(data);
    endResetModel();
}

int ScaleModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0
                            : static_cast<int>(std::min<std::size_t>(
                                  m_data.rows(), std::numeric_limits<int>::max()));
}

int ScaleModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ScaleModel::data(const QModelIndex &at, int role) const
{
    if (!at.isValid() || at.row() >= rowCount())
        return {};
    const report::ScaleRow row{&m_data, static_cast<std::size_t>(at.row())};
    switch (role) {
    case Qt::EditRole: // whole: the text of the cell has fewer digits
        return at.column() == ScaleColumn ? QString::number(m_data.scaleOf(row.row), 'g', 17)
                                          : m_columns.cell(at.column(), row, CopyRole);
    case kNumberRole: return at.column() == ZeroColumn;
    case SortRole: return m_columns.sortData(at.column(), row);
    case Qt::ToolTipRole:
        return at.column() == ScaleColumn ? QString::number(m_data.scaleOf(row.row), 'g', 17)
                                          : QVariant();
    default: return m_columns.cell(at.column(), row, role);
    }
}

bool ScaleModel::setData(const QModelIndex &at, const QVariant &value, int role)
{
    if (role != Qt::EditRole || !(flags(at) & Qt::ItemIsEditable))
        return false;
    if (at.column() == ScaleColumn) {
        const auto wanted = typedNumber(value.toString());
        if (wanted)
            Q_EMIT scaleEdited(scaleAt(at.row()), *wanted);
        return wanted.has_value();
    }
    const auto code = typedInteger(value.toString());
    const auto zero = zeroAt(at.row());
    if (code && zero)
        Q_EMIT zeroEdited(*zero, *code);
    return code && zero;
}

QVariant ScaleModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (section == ZeroColumn && role == Qt::DisplayRole && !m_data.zeros.empty() &&
        !m_data.zeroPoints)
        return tr("Offset");
    return m_columns.header(section, role);
}

Qt::ItemFlags ScaleModel::flags(const QModelIndex &at) const
{
    Qt::ItemFlags flags = QAbstractTableModel::flags(at);
    const bool zero = at.column() == ZeroColumn && at.isValid() &&
                      m_data.zeroOf(static_cast<std::size_t>(at.row())).has_value();
    if (m_editable && (at.column() == ScaleColumn || zero))
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace kernscope::ui

#include "moc_scale_model.cpp"
