// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plot_table_model.h"

#include "widgets/common/table_text.h"

namespace kernscope::ui {

PlotTableModel::PlotTableModel(const PlotNumbers &plot, QObject *parent)
    : QAbstractTableModel(parent), m_plot(plot)
{
}

int PlotTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int PlotTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_columns;
}

QVariant PlotTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows || index.column() >= m_columns)
        return {};
    switch (role) {
    case Qt::DisplayRole:
    case SortRole:
    case CopyRole: return m_plot.cell(index.row(), index.column());
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::AccessibleTextRole: return m_plot.pointText(index.row());
    default: return {};
    }
}

QVariant PlotTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Horizontal && section < m_columns)
        return m_plot.columns().at(section);
    return orientation == Qt::Vertical ? QVariant(section) : QVariant();
}

void PlotTableModel::endChange()
{
    m_rows = m_plot.pointCount();
    m_columns = static_cast<int>(m_plot.columns().size());
    endResetModel();
}

} // namespace kernscope::ui
