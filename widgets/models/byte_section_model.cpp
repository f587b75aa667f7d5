// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/byte_section_model.h"

#include "core/bundle/bundle.h"
#include "widgets/models/row_order.h"
#include "widgets/models/table_text.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernscope::ui {

ByteSectionModel::ByteSectionModel(QObject *parent)
    : QAbstractTableModel(parent), m_columns(report::alignedSectionTable())
{
}

void ByteSectionModel::setBytes(AlignedBytesPtr bytes)
{
    beginResetModel();
    m_bytes = std::move(bytes);
    m_differences = nullptr;
    m_order = sorted();
    endResetModel();
}

void ByteSectionModel::setDifferences(std::shared_ptr<const ByteDifferences> differences)
{
    m_differences = std::move(differences);
    if (m_sortColumn >= Changed)
        sort(m_sortColumn, m_sortOrder);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Changed), index(rowCount() - 1, State));
}

std::size_t ByteSectionModel::sectionAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_order[static_cast<std::size_t>(row)] : kNoIndex;
}

int ByteSectionModel::rowOfSection(std::size_t section) const
{
    const auto at = std::find(m_order.begin(), m_order.end(), section);
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

int ByteSectionModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int ByteSectionModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

report::AlignedSectionFacts ByteSectionModel::facts(std::size_t section) const
{
    return {&m_bytes->alignment.sections()[section],
            m_differences ? &m_differences->tallyOf(section) : nullptr};
}

QVariant ByteSectionModel::data(const QModelIndex &index, int role) const
{
    const std::size_t section = sectionAt(index.row());
    if (!index.isValid() || section == kNoIndex)
        return {};
    const report::AlignedSectionFacts row = facts(section);
    if (role == Qt::ToolTipRole)
        return fromUtf8(row.section->name);
    return role == SortRole ? m_columns.sortData(index.column(), row)
                            : m_columns.cell(index.column(), row, role);
}

QVariant ByteSectionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return QAbstractTableModel::headerData(section, orientation, role);
    return m_columns.header(section, role);
}

std::vector<std::size_t> ByteSectionModel::sorted() const
{
    std::vector<std::size_t> order(m_bytes ? m_bytes->alignment.sections().size() : 0);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_sortColumn < 0)
        return order;
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    const bool isNumber = m_columns.facts(m_sortColumn).number();
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const QVariant a = m_columns.sortData(m_sortColumn, facts(x));
        const QVariant b = m_columns.sortData(m_sortColumn, facts(y));
        if (!isNumber) {
            const int by = QString::localeAwareCompare(a.toString(), b.toString());
            return ascending ? by < 0 : by > 0;
        }
        if (!a.isValid() || !b.isValid())
            return a.isValid() && !b.isValid(); // what has no number stays last
        return ascending ? a.toULongLong() < b.toULongLong() : b.toULongLong() < a.toULongLong();
    });
    return order;
}

void ByteSectionModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<std::size_t> before = std::exchange(m_order, sorted());
    const QModelIndexList from = persistentIndexList();
    changePersistentIndexList(from, movedCells(*this, from, before, m_order));
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

} // namespace kernscope::ui

#include "moc_byte_section_model.cpp"
