// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/fact_table_model.h"

#include "widgets/chips/chip_words.h"
#include "widgets/common/table_text.h"

#include <QFont>
#include <QGuiApplication>

#include <algorithm>

namespace kernscope::ui {

FactTableModel::FactTableModel(QStringList headers, QStringList meanings, QObject *parent)
    : QAbstractTableModel(parent), m_headers(std::move(headers)), m_meanings(std::move(meanings))
{
}

void FactTableModel::setRows(std::vector<Row> rows)
{
    const auto sameWords = [](const Row &a, const Row &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const FactCell &x, const FactCell &y) { return x.text == y.text; });
    };
    // The same words again, as after an edit of something else: views keep their place.
    if (!rows.empty() &&
        std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), sameWords)) {
        m_rows = std::move(rows);
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    select();
    endResetModel();
}

void FactTableModel::setFilter(const QString &words)
{
    beginResetModel();
    m_filter = TextFilter(words);
    select();
    endResetModel();
}

void FactTableModel::select()
{
    m_shown.clear();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        std::string all;
        if (!m_filter.empty()) {
            for (const FactCell &cell : m_rows[i])
                all += cell.text.toStdString() + ' ';
        }
        if (m_filter.empty() || m_filter.passes({all}))
            m_shown.push_back(i);
    }
    if (m_sortColumn < 0)
        return;
    const auto column = static_cast<std::size_t>(m_sortColumn);
    const auto less = [&](std::size_t a, std::size_t b) {
        const FactCell &x = m_rows[a][column], &y = m_rows[b][column];
        const auto order =
            x.sort.isValid() && y.sort.isValid()
                ? QVariant::compare(x.sort, y.sort)
                : (x.text < y.text ? QPartialOrdering::Less : QPartialOrdering::Equivalent);
        return order == QPartialOrdering::Less;
    };
    std::stable_sort(m_shown.begin(), m_shown.end(), [&](std::size_t a, std::size_t b) {
        return m_order == Qt::AscendingOrder ? less(a, b) : less(b, a);
    });
}

void FactTableModel::sort(int column, Qt::SortOrder order)
{
    beginResetModel();
    m_sortColumn = column < columnCount() ? column : -1;
    m_order = order;
    select();
    endResetModel();
}

int FactTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int FactTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_headers.size());
}

QVariant FactTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Row &row = m_rows[sourceRow(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    if (column >= row.size())
        return {};
    const FactCell &cell = row[column];
    const bool dark = theme::isDark(QGuiApplication::palette());
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole: return cell.text;
    case SortRole: return cell.sort.isValid() ? cell.sort : QVariant(cell.text);
    case Qt::ToolTipRole: return cell.tip.isEmpty() ? cell.text : cell.tip;
    case Qt::TextAlignmentRole:
        return cell.sort.isValid() ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                   : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::BackgroundRole:
        return cell.token && *cell.token != Token::OutUnknown
                   ? QVariant(tokenTint(*cell.token, dark))
                   : QVariant();
    case Qt::ForegroundRole:
        return cell.token && *cell.token != Token::OutUnknown
                   ? QVariant(QGuiApplication::palette().color(QPalette::Text))
                   : QVariant();
    case Qt::FontRole: {
        if (!cell.strong)
            return {};
        QFont font;
        font.setBold(true);
        return font;
    }
    default: return {};
    }
}

QVariant FactTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= m_headers.size())
        return {};
    if (role == Qt::DisplayRole)
        return headerTitle(m_headers[section]);
    if (role == Qt::ToolTipRole && section < m_meanings.size())
        return m_meanings[section];
    return {};
}

} // namespace kernscope::ui
