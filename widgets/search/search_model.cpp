// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search/search_model.h"

#include "widgets/common/table_text.h"

#include <QFontDatabase>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace kernscope::ui {

namespace {

/// The numbers before what is no number, whichever way they are sorted.
bool before(std::optional<double> a, std::optional<double> b)
{
    const bool numberA = a && !std::isnan(*a), numberB = b && !std::isnan(*b);
    return numberA && numberB ? *a < *b : numberA > numberB;
}

} // namespace

SearchModel::SearchModel(QObject *parent) : QAbstractTableModel(parent) {}

void SearchModel::setFound(BundlePtr bundle, search::Found found, std::vector<QByteArray> bytes)
{
    beginResetModel();
    m_bundle = std::move(bundle);
    m_hits = std::move(found.hits);
    m_bytes = std::move(bytes);
    m_order.resize(m_hits.size());
    orderRows();
    endResetModel();
}

void SearchModel::clear()
{
    setFound(nullptr, {}, {});
}

int SearchModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int SearchModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString SearchModel::placeOf(const search::Hit &hit) const
{
    return fromUtf8(hit.element
                        ? search::elementAddress(m_bundle->weights()[hit.weight], *hit.element)
                        : search::byteAddress(*m_bundle, hit));
}

/// The weight, or the section of bytes that belong to none.
QString SearchModel::ownerOf(const search::Hit &hit) const
{
    if (hit.weight < m_bundle->weights().size())
        return fromUtf8(m_bundle->weights()[hit.weight].findableName());
    return hit.section < m_bundle->sections().size()
               ? fromUtf8(m_bundle->sections()[hit.section].name)
               : QString();
}

QString SearchModel::valueOf(std::uint32_t hit, bool copy) const
{
    if (m_hits[hit].wide)
        return fromUtf8(m_hits[hit].valueText());
    if (m_hits[hit].value)
        return QString::number(*m_hits[hit].value, 'g', copy ? 17 : 6);
    return hit < m_bytes.size() ? QString::fromLatin1(m_bytes[hit].toHex(' ')) : QString();
}

std::optional<std::uint64_t> SearchModel::numberOf(const search::Hit &hit, int column) const
{
    if (column == Element)
        return hit.element;
    return hit.element ? hit.count : hit.bytes.bytes.value;
}

QVariant SearchModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || static_cast<std::size_t>(index.row()) >= m_order.size())
        return {};
    const std::uint32_t number = m_order[static_cast<std::size_t>(index.row())];
    const search::Hit &hit = m_hits[number];
    const int column = index.column();
    if (role == Qt::TextAlignmentRole) {
        const bool right = column == Element || column == Length || column == Value;
        return QVariant(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role == Qt::FontRole && column == Value && !hit.value)
        return QFontDatabase::systemFont(QFontDatabase::FixedFont);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != CopyRole && role != SortRole)
        return {};
    switch (column) {
    case PlaceColumn: return placeOf(hit);
    case Owner: return ownerOf(hit);
    case Value:
        return role == SortRole && hit.value ? QVariant(*hit.value)
                                             : QVariant(valueOf(number, role == CopyRole));
    default: break;
    }
    const auto figure = numberOf(hit, column);
    if (!figure)
        return {};
    if (role == SortRole)
        return QVariant(qulonglong(*figure));
    return role == CopyRole ? QString::number(*figure) : groupedNumber(*figure);
}

QVariant SearchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const std::array<HeaderText, ColumnCount> headers{
        HeaderText{tr("Place"), tr("Where it is, as Go To and the command line take it")},
        HeaderText{tr("Weight or section"), tr("The weight that it is part of, else the section")},
        HeaderText{tr("Element"), tr("Its number in the order of the elements, from 0")},
        HeaderText{tr("Length"), tr("Bytes, or elements of a run")},
        HeaderText{tr("Value"), tr("The decoded value, or the bytes")}};
    return headers[static_cast<std::size_t>(section)].data(role);
}

void SearchModel::orderRows()
{
    std::iota(m_order.begin(), m_order.end(), 0U);
    if (m_sortColumn < 0 || !m_bundle)
        return;
    const auto less = [this](const search::Hit &a, const search::Hit &b) {
        switch (m_sortColumn) {
        case Owner: return ownerOf(a) < ownerOf(b);
        case Value: return before(a.value, b.value);
        case Element:
        case Length: return numberOf(a, m_sortColumn) < numberOf(b, m_sortColumn);
        default:
            return std::tuple(a.file, a.bytes.offset.value, a.weight, a.element) <
                   std::tuple(b.file, b.bytes.offset.value, b.weight, b.element);
        }
    };
    std::stable_sort(m_order.begin(), m_order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return m_sortOrder == Qt::AscendingOrder ? less(m_hits[a], m_hits[b])
                                                 : less(m_hits[b], m_hits[a]);
    });
}

void SearchModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList kept = persistentIndexList();
    std::vector<std::uint32_t> hits;
    for (const QModelIndex &at : kept)
        hits.push_back(m_order[static_cast<std::size_t>(at.row())]);
    m_sortColumn = column < ColumnCount ? column : -1;
    m_sortOrder = order;
    orderRows();
    std::vector<int> rowOf(m_order.size());
    for (std::size_t row = 0; row < m_order.size(); ++row)
        rowOf[m_order[row]] = static_cast<int>(row);
    for (qsizetype i = 0; i < kept.size(); ++i)
        changePersistentIndex(kept[i],
                              index(rowOf[hits[static_cast<std::size_t>(i)]], kept[i].column()));
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

} // namespace kernscope::ui
