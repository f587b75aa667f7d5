// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bookmark_model.h"

#include "widgets/common/table_text.h"

#include <QLocale>

#include <algorithm>
#include <functional>

namespace kernscope::app {

namespace {

constexpr std::size_t kMostSteps = 100; ///< that can be taken back

} // namespace

BookmarkModel::BookmarkModel(QObject *parent) : QAbstractTableModel(parent) {}

void BookmarkModel::setBookmarks(Bookmarks bookmarks)
{
    beginResetModel();
    m_bookmarks = std::move(bookmarks);
    m_before.clear();
    endResetModel();
}

void BookmarkModel::remember()
{
    if (m_before.size() == kMostSteps)
        m_before.erase(m_before.begin());
    m_before.push_back(m_bookmarks);
}

int BookmarkModel::rowOf(const QString &place, std::uint64_t bytes) const
{
    for (qsizetype row = 0; row < m_bookmarks.size(); ++row) {
        if (m_bookmarks[row].place == place && m_bookmarks[row].bytes == bytes)
            return static_cast<int>(row);
    }
    return -1;
}

int BookmarkModel::add(Bookmark bookmark)
{
    if (const int row = rowOf(bookmark.place, bookmark.bytes); row >= 0)
        return row;
    if (m_bookmarks.size() >= kMostBookmarks)
        return -1;
    remember();
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_bookmarks.push_back(std::move(bookmark));
    endInsertRows();
    Q_EMIT edited();
    return row;
}

int BookmarkModel::addAll(const Bookmarks &bookmarks)
{
    Bookmarks news;
    for (const Bookmark &bookmark : bookmarks) {
        const bool known = rowOf(bookmark.place, bookmark.bytes) >= 0 || news.contains(bookmark);
        if (!known && m_bookmarks.size() + news.size() < kMostBookmarks)
            news += bookmark;
    }
    if (news.isEmpty())
        return 0;
    remember();
    const int first = rowCount(), added = static_cast<int>(news.size());
    beginInsertRows({}, first, first + added - 1);
    m_bookmarks += news;
    endInsertRows();
    Q_EMIT edited();
    return added;
}

void BookmarkModel::remove(std::vector<int> rows)
{
    std::sort(rows.begin(), rows.end(), std::greater<>());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [this](int row) { return row < 0 || row >= rowCount(); }),
               rows.end());
    if (rows.empty())
        return;
    remember();
    for (const int row : rows) {
        beginRemoveRows({}, row, row);
        m_bookmarks.removeAt(row);
        endRemoveRows();
    }
    Q_EMIT edited();
}

void BookmarkModel::undo()
{
    if (m_before.empty())
        return;
    beginResetModel();
    m_bookmarks = std::move(m_before.back());
    m_before.pop_back();
    endResetModel();
    Q_EMIT edited();
}

int BookmarkModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_bookmarks.size());
}

int BookmarkModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant BookmarkModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Bookmark &bookmark = m_bookmarks[index.row()];
    switch (index.column()) {
    case PlaceColumn: {
        const QString place = bookmark.place.isEmpty() ? tr("Overview") : bookmark.place;
        if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
            return bookmark.bytes > 1
                       ? tr("%1, %2 bytes").arg(place, ui::groupedNumber(bookmark.bytes))
                       : place;
        return role == ui::CopyRole ? QVariant(bookmark.place) : QVariant();
    }
    case Note:
        return role == Qt::DisplayRole || role == Qt::EditRole || role == Qt::ToolTipRole ||
                       role == ui::CopyRole
                   ? QVariant(bookmark.note)
                   : QVariant();
    case Made:
        if (role == Qt::DisplayRole)
            return QLocale().toString(bookmark.made.toLocalTime(), QLocale::ShortFormat);
        return role == ui::CopyRole ? QVariant(bookmark.made.toUTC().toString(Qt::ISODate))
                                    : QVariant();
    default: return {};
    }
}

bool BookmarkModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!index.isValid() || index.column() != Note || role != Qt::EditRole)
        return false;
    const QString note = value.toString().simplified();
    if (note == m_bookmarks[index.row()].note)
        return true;
    remember();
    m_bookmarks[index.row()].note = note;
    Q_EMIT dataChanged(index, index);
    Q_EMIT edited();
    return true;
}

Qt::ItemFlags BookmarkModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == Note ? flags | Qt::ItemIsEditable : flags;
}

QVariant BookmarkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const auto header = [section]() -> ui::HeaderText {
        switch (section) {
        case PlaceColumn:
            return {tr("Place"),
                    tr("Where it leads, as Go To reads it; a double click goes there")};
        case Note: return {tr("Note"), tr("Your words; F2 edits them")};
        case Made: return {tr("Made"), tr("When the bookmark was made")};
        default: return {};
        }
    }();
    return header.data(role);
}

} // namespace kernscope::app
