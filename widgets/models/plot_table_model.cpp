// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/plot_table_model.h"

namespace kernscope::ui {

QVariant PlotColumn::inRole(const QVariant &value, int role)
{
    switch (role) {
    case Qt::DisplayRole:
    case SortRole:
    case CopyRole: return value;
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

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
    if (role == Qt::AccessibleTextRole)
        return m_plot.pointText(index.row());
    return m_plot.cellData(index.row(), index.column(), role);
}

QVariant PlotTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal)
        return section >= 0 && section < m_columns ? m_plot.header(section, role) : QVariant();
    return role == Qt::DisplayRole ? QVariant(section) : QVariant();
}

void PlotTableModel::endChange()
{
    m_rows = m_plot.pointCount();
    m_columns = m_plot.columnCount();
    endResetModel();
}

} // namespace kernscope::ui

#include "moc_plot_table_model.cpp"
