// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows are shown, and in which order: the worst first, that of A, or that of a column.
#include "widgets/compare/compare_model.h"

#include <QCollator>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

void CompareModel::updateOrder()
{
    const auto wanted = wantedOrder();
    if (wanted == m_order)
        return;
    const bool sameRows = wanted.size() == m_order.size() &&
                          std::all_of(wanted.begin(), wanted.end(),
                                      [this](std::size_t row) { return m_shown[row] >= 0; });
    if (sameRows) {
        reorder(wanted);
        return;
    }
    beginResetModel();
    applyFilter();
    endResetModel();
}

void CompareModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    updateOrder();
}

void CompareModel::setWorstFirst(bool worstFirst)
{
    m_worstFirst = worstFirst;
    updateOrder();
}

bool CompareModel::ordersBySeverity() const
{
    return m_worstFirst && m_sortColumn < 0;
}

void CompareModel::arrange()
{
    if (!ordersBySeverity())
        return;
    std::vector<std::size_t> order = m_order;
    std::sort(order.begin(), order.end()); // those of equal severity in the order of A
    putWorstFirst(order);
    if (order != m_order)
        reorder(std::move(order));
}

void CompareModel::putWorstFirst(std::vector<std::size_t> &order) const
{
    std::vector<PairSeverity> severities;
    for (const std::size_t row : order)
        severities.push_back(m_rows[row].severity());
    std::vector<std::size_t> arranged;
    for (const std::size_t at : kernscope::worstFirst(severities))
        arranged.push_back(order[at]);
    order = std::move(arranged);
}

bool CompareModel::accepts(const CompareRow &row) const
{
    if (m_differencesOnly && !row.differs())
        return false;
    if (m_filter.empty())
        return true;
    const auto text = [&row](CompareColumn column) {
        return compareCellPlain(row, column).toStdString();
    };
    return m_filter.passes({text(CompareColumn::Weight), row.nameB.toStdString(),
                            text(CompareColumn::FormA), text(CompareColumn::FormB),
                            text(CompareColumn::Verdict), text(CompareColumn::Pairing),
                            text(CompareColumn::Function), text(CompareColumn::Outcome)});
}

std::vector<std::size_t> CompareModel::wantedOrder() const
{
    std::vector<std::size_t> order;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        if (accepts(m_rows[row]))
            order.push_back(row);
    }
    if (m_sortColumn < 0 || m_sortColumn >= kCompareColumns) {
        if (m_worstFirst)
            putWorstFirst(order);
        return order;
    }
    const auto column = static_cast<CompareColumn>(m_sortColumn);
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    QCollator collator;
    collator.setNumericMode(true);
    const auto lessByNumber = [&](std::size_t a, std::size_t b) {
        const auto x = compareCellNumber(m_rows[a], column);
        const auto y = compareCellNumber(m_rows[b], column);
        if (!x || !y)
            return x.has_value() && !y; // rows without a number stay last in either direction
        return ascending ? *x < *y : *y < *x;
    };
    const auto lessByText = [&](std::size_t a, std::size_t b) {
        const int order3 = collator.compare(compareCellPlain(m_rows[a], column),
                                            compareCellPlain(m_rows[b], column));
        return ascending ? order3 < 0 : order3 > 0;
    };
    if (isNumberColumn(column))
        std::stable_sort(order.begin(), order.end(), lessByNumber);
    else
        std::stable_sort(order.begin(), order.end(), lessByText);
    return order;
}

void CompareModel::applyFilter()
{
    m_order = wantedOrder();
    m_shown.assign(m_rows.size(), -1);
    for (std::size_t shown = 0; shown < m_order.size(); ++shown)
        m_shown[m_order[shown]] = static_cast<int>(shown);
}

void CompareModel::reorder(std::vector<std::size_t> order)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<std::size_t> before = std::exchange(m_order, std::move(order));
    for (std::size_t shown = 0; shown < m_order.size(); ++shown)
        m_shown[m_order[shown]] = static_cast<int>(shown);
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex &cell : from)
        to.push_back(index(m_shown[before[static_cast<std::size_t>(cell.row())]], cell.column()));
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

} // namespace kernscope::ui
