// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/byte_section_model.h"

#include "core/bundle/bundle.h"
#include "widgets/common/row_order.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace kernscope::ui {

ByteSectionModel::ByteSectionModel(QObject *parent) : QAbstractTableModel(parent) {}

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

std::optional<std::uint64_t> ByteSectionModel::number(std::size_t index, int column) const
{
    const AlignedSection &section = m_bytes->alignment.sections()[index];
    const auto of = [](std::size_t own, std::uint64_t value) {
        return own == kNoIndex ? std::nullopt : std::optional(value);
    };
    switch (column) {
    case OffsetA: return of(section.a, section.rangeA.offset.value);
    case BytesA: return of(section.a, section.rangeA.bytes.value);
    case OffsetB: return of(section.b, section.rangeB.offset.value);
    case BytesB: return of(section.b, section.rangeB.bytes.value);
    default: break;
    }
    if (!m_differences)
        return std::nullopt;
    const ByteTally &tally = m_differences->tallyOf(index);
    switch (column) {
    case Changed: return tally.changed;
    case OnlyA: return tally.onlyA;
    case OnlyB: return tally.onlyB;
    default: return std::nullopt;
    }
}

QString ByteSectionModel::text(std::size_t index, int column) const
{
    const AlignedSection &section = m_bytes->alignment.sections()[index];
    switch (column) {
    case Name: return fromUtf8(section.name);
    case Kind: return theme::sectionKindLabel(section.kind);
    case State: break;
    default: return {};
    }
    if (section.b == kNoIndex)
        return tr("\u25C0 only in A");
    if (section.a == kNoIndex)
        return tr("\u25B6 only in B");
    if (!m_differences)
        return QStringLiteral("\u2026");
    return m_differences->tallyOf(index).any() ? tr("\u2260 differs") : tr("= equal");
}

QVariant ByteSectionModel::data(const QModelIndex &index, int role) const
{
    const std::size_t section = sectionAt(index.row());
    if (!index.isValid() || section == kNoIndex)
        return {};
    const auto value = number(section, index.column());
    const bool isNumber = index.column() >= OffsetA && index.column() <= OnlyB;
    const bool isOffset = index.column() == OffsetA || index.column() == OffsetB;
    switch (role) {
    case Qt::DisplayRole:
        if (!isNumber)
            return text(section, index.column());
        if (!value)
            return QStringLiteral("\u2013");
        return isOffset ? hexNumber(*value, 8) : groupedNumber(*value);
    case Qt::TextAlignmentRole:
        return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole: return text(section, Name);
    case SortRole:
        return value ? QVariant(static_cast<qulonglong>(*value))
                     : QVariant(text(section, index.column()));
    case CopyRole:
        if (!isNumber)
            return text(section, index.column());
        return value ? (isOffset ? hexNumber(*value) : QString::number(*value)) : QString();
    default: return {};
    }
}

QVariant ByteSectionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static constexpr std::array<std::pair<const char *, const char *>, ColumnCount> kWords{{
        {QT_TR_NOOP("Section"), QT_TR_NOOP("What the bytes are, as A calls it")},
        {QT_TR_NOOP("Kind"), QT_TR_NOOP("What the bytes are for")},
        {QT_TR_NOOP("A offset"), QT_TR_NOOP("Where the section begins in the file of A")},
        {QT_TR_NOOP("A bytes"), QT_TR_NOOP("How long it is in A")},
        {QT_TR_NOOP("B offset"), QT_TR_NOOP("Where the section begins in the file of B")},
        {QT_TR_NOOP("B bytes"), QT_TR_NOOP("How long it is in B")},
        {QT_TR_NOOP("Changed"), QT_TR_NOOP("Bytes that both sides have, with other values")},
        {QT_TR_NOOP("Only A"), QT_TR_NOOP("Bytes of A that stand against nothing in B")},
        {QT_TR_NOOP("Only B"), QT_TR_NOOP("Bytes of B that stand against nothing in A")},
        {QT_TR_NOOP("State"), QT_TR_NOOP("Equal, different, or on one side only")},
    }};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return QAbstractTableModel::headerData(section, orientation, role);
    const auto &[title, help] = kWords[static_cast<std::size_t>(section)];
    const bool isNumber = section >= OffsetA && section <= OnlyB;
    switch (role) {
    case Qt::DisplayRole: return tr(title);
    case Qt::ToolTipRole: return tr(help);
    case Qt::TextAlignmentRole:
        return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default: return {};
    }
}

std::vector<std::size_t> ByteSectionModel::sorted() const
{
    std::vector<std::size_t> order(m_bytes ? m_bytes->alignment.sections().size() : 0);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_sortColumn < 0)
        return order;
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    const bool isNumber = m_sortColumn >= OffsetA && m_sortColumn <= OnlyB;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        if (!isNumber) {
            const int by =
                QString::localeAwareCompare(text(x, m_sortColumn), text(y, m_sortColumn));
            return ascending ? by < 0 : by > 0;
        }
        const auto a = number(x, m_sortColumn), b = number(y, m_sortColumn);
        if (!a || !b)
            return a.has_value() && !b; // what has no number stays last
        return ascending ? *a < *b : *b < *a;
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
