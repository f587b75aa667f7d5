// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/places_models.h"

#include "core/diff/build_verdict.h"
#include "widgets/common/row_order.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace kernscope::ui {

namespace {

QString figureText(double value)
{
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("\u221E") : QStringLiteral("\u2212\u221E");
    return QString::number(value, 'g', 6);
}

} // namespace

int PlacesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

std::optional<std::uint64_t> PlacesModel::elementAt(int row) const
{
    if (row < 0 || row >= rowCount())
        return std::nullopt;
    return element(itemAt(row));
}

int PlacesModel::rowOf(std::size_t item) const
{
    const auto at = std::find(m_order.begin(), m_order.end(), item);
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

QVariant PlacesModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const std::size_t item = itemAt(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(item, index.column());
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole: return tr(column(index.column()).help);
    case SortRole: return number(item, index.column());
    case CopyRole: return plain(item, index.column());
    default: return {};
    }
}

QString PlacesModel::plain(std::size_t item, int column) const
{
    const double value = number(item, column);
    return std::isnan(value) ? QString() : plainNumber(value);
}

QVariant PlacesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    switch (role) {
    case Qt::DisplayRole: return tr(column(section).title);
    case Qt::ToolTipRole: return tr(column(section).help);
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

void PlacesModel::endRows()
{
    m_order = wanted();
    endResetModel();
}

std::vector<std::size_t> PlacesModel::wanted() const
{
    std::vector<std::size_t> order(count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_sortColumn < 0 || m_sortColumn >= columnCount())
        return order;
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const double a = number(x, m_sortColumn), b = number(y, m_sortColumn);
        if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a) && std::isnan(b); // what is no number stays last
        return ascending ? a < b : b < a;
    });
    return order;
}

void PlacesModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<std::size_t> before = std::exchange(m_order, wanted());
    const QModelIndexList from = persistentIndexList();
    changePersistentIndexList(from, movedCells(*this, from, before, m_order));
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void ChannelModel::setPlaces(WorstPlacesPtr places)
{
    beginRows();
    m_places = std::move(places);
    endRows();
}

int ChannelModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : SectionCount;
}

std::size_t ChannelModel::count() const
{
    return m_places ? m_places->worstChannels.size() : 0;
}

int ChannelModel::rowOfChannel(std::uint64_t channel) const
{
    for (std::size_t item = 0; item < count(); ++item) {
        if (m_places->worstChannels[item].channel == channel)
            return rowOf(item);
    }
    return -1;
}

std::optional<std::uint64_t> ChannelModel::element(std::size_t item) const
{
    return m_places->worstChannels[item].worst;
}

double ChannelModel::number(std::size_t item, int column) const
{
    const ChannelDifference &channel = m_places->worstChannels[item];
    switch (column) {
    case Channel: return static_cast<double>(channel.channel);
    case MaxAbs: return channel.maxAbs;
    case Rmse: return channel.rmse;
    case Snr: return channel.snr;
    case Changed: return static_cast<double>(channel.changed);
    case Zeroed: return static_cast<double>(channel.zeroed);
    default: return static_cast<double>(channel.revived);
    }
}

QString ChannelModel::text(std::size_t item, int column) const
{
    const double value = number(item, column);
    switch (column) {
    case MaxAbs:
    case Rmse: return figureText(value);
    case Snr: return std::isinf(value) ? figureText(value) : QString::number(value, 'f', 1);
    case Channel: return QString::number(m_places->worstChannels[item].channel);
    default: return groupedNumber(static_cast<std::uint64_t>(value));
    }
}

PlacesModel::Column ChannelModel::column(int section) const
{
    static constexpr std::array<Column, SectionCount> kColumns{{
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Channel"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Output channel: the index along the first axis.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "max |\u0394|"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Largest difference of two values of the channel; infinite where one is "
                           "not finite on one side only.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "RMSE"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Root of the mean squared difference of the channel.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "SNR, dB"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Signal to noise ratio: the squares of A over those of the "
                           "differences.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Changed"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Elements that are nonzero in both and differ.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Zeroed"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Elements that are nonzero in A and zero in B.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Revived"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Elements that are zero in A and nonzero in B.")},
    }};
    return kColumns[static_cast<std::size_t>(section)];
}

void ElementModel::setPlaces(WorstPlacesPtr places, Shape shape, ElementType type)
{
    beginRows();
    m_places = std::move(places);
    m_shape = std::move(shape);
    m_type = type;
    endRows();
}

int ElementModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : SectionCount;
}

std::size_t ElementModel::count() const
{
    return m_places ? m_places->worstElements.size() : 0;
}

int ElementModel::rowOfElement(std::uint64_t element) const
{
    for (std::size_t item = 0; item < count(); ++item) {
        if (m_places->worstElements[item].element == element)
            return rowOf(item);
    }
    return -1;
}

std::optional<std::uint64_t> ElementModel::element(std::size_t item) const
{
    return m_places->worstElements[item].element;
}

double ElementModel::number(std::size_t item, int column) const
{
    const ElementPair &pair = m_places->worstElements[item];
    switch (column) {
    case Index: return static_cast<double>(pair.element);
    case InA: return static_cast<double>(pair.a);
    case InB: return static_cast<double>(pair.b);
    case Delta: return static_cast<double>(pair.b - pair.a);
    case Relative: return static_cast<double>(std::abs(pair.b - pair.a) / std::abs(pair.a));
    default: return static_cast<double>(exactUlpDistance(m_type, pair.a, pair.b));
    }
}

QString ElementModel::text(std::size_t item, int column) const
{
    const double value = number(item, column);
    if (column == Index) {
        QStringList place;
        for (const std::uint64_t index : elementPlace(m_shape, *element(item)))
            place << QString::number(index);
        return QStringLiteral("[%1]").arg(place.join(QStringLiteral(", ")));
    }
    const ElementPair &pair = m_places->worstElements[item];
    if (column == Ulp)
        return groupedNumber(exactUlpDistance(m_type, pair.a, pair.b));
    // Integers that a double rounds are written in full.
    const bool isA = column == InA;
    if ((isA || column == InB) && static_cast<ExactValue>(value) != (isA ? pair.a : pair.b) &&
        std::isfinite(value))
        return QString::fromStdString(exactText(isA ? pair.a : pair.b));
    return figureText(value);
}

QString ElementModel::plain(std::size_t item, int column) const
{
    return column == Index ? text(item, column) : PlacesModel::plain(item, column);
}

PlacesModel::Column ElementModel::column(int section) const
{
    static constexpr std::array<Column, SectionCount> kColumns{{
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Element"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Index along every axis.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "A"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "The value in A.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "B"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "The value in B.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "B \u2212 A"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "The difference.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "|\u0394| / |A|"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "The difference over the value in A; infinite where that is zero.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "ULP"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "The difference in steps of the type of A.")},
    }};
    return kColumns[static_cast<std::size_t>(section)];
}

} // namespace kernscope::ui
