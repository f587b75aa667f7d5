// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/chosen_rows_model.h"

namespace kernscope::ui {

void ChosenRowsModel::setFilter(const QString &words)
{
    if (words == m_filter)
        return;
    m_filter = words;
    chooseAnew();
}

void ChosenRowsModel::sort(int column, Qt::SortOrder order)
{
    if (setOrder(column, order))
        chooseAnew();
}

bool ChosenRowsModel::setOrder(int column, Qt::SortOrder order)
{
    if (column == m_sortColumn && order == m_sortOrder)
        return false;
    m_sortColumn = column;
    m_sortOrder = order;
    return true;
}

void ChosenRowsModel::chooseAnew()
{
    beginResetModel();
    chooseRows();
    endResetModel();
}

} // namespace kernscope::ui

#include "moc_chosen_rows_model.cpp"
