// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bookmark_model.h"

#include "widgets/common/table_text.h"

#include <QLocale>

#include <algorithm>
#include <functional>
#include <string>

namespace kernscope::app {

namespace {

constexpr std::size_t kMostSteps = 100; ///< that can be taken back

const report::TableOf<Bookmark> &bookmarkTable()
{
    using report::Value;
    using Row = Bookmark;
    static const report::TableOf<Row> kTable{
        "bookmarks",
        {{report::kWindow, "place", "place",
          "Where it leads, as Go To reads it; a double click goes there",
          [](const Row &row) -> Value { return placeInWords(row).toStdString(); }},
         {report::kWindow, "note", "note", "Your words; F2 edits them",
          [](const Row &row) -> Value { return row.note.toStdString(); }},
         {report::kWindow, "made", "made", "When the bookmark was made",
          [](const Row &row) -> Value {
              return QLocale().toString(row.made.toLocalTime(), QLocale::ShortFormat).toStdString();
          },
          report::sortedBy([](const Row &row) {
              return report::SortValue(static_cast<std::uint64_t>(row.made.toMSecsSinceEpoch()));
          })}}};
    return kTable;
}

} // namespace

QString placeInWords(const Bookmark &bookmark)
{
    const QString place = bookmark.place.isEmpty() ? BookmarkModel::tr("Overview") : bookmark.place;
    return bookmark.bytes > 1
               ? BookmarkModel::tr("%1, %2 bytes").arg(place, ui::groupedNumber(bookmark.bytes))
               : place;
}

QString bookmarksText(const Bookmarks &bookmarks)
{
    QString text;
    for (const Bookmark &bookmark : bookmarks) {
        QString note = bookmark.note;
        note.replace(QLatin1Char('\n'), QLatin1Char(' '))
            .replace(QLatin1Char('\t'), QLatin1Char(' '));
        text += placeInWords(bookmark) + QLatin1Char('\t') + note + QLatin1Char('\n');
    }
    return text;
}

BookmarkModel::BookmarkModel(QObject *parent)
    : QAbstractTableModel(parent), m_columns(bookmarkTable())
{
}

bool BookmarkModel::isNote(const QModelIndex &index) const
{
    return index.isValid() && m_columns.key(index.column()) == "note";
}

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
    return parent.isValid() ? 0 : m_columns.count();
}

QVariant BookmarkModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Bookmark &bookmark = m_bookmarks[index.row()];
    const std::string_view key = m_columns.key(index.column());
    // For programs: what Go To reads, and a time in one format for all locales.
    if (role == ui::CopyRole && key == "place")
        return bookmark.place;
    if (role == ui::CopyRole && key == "made")
        return bookmark.made.toUTC().toString(Qt::ISODate);
    if (role == Qt::EditRole)
        return key == "note" ? QVariant(bookmark.note) : QVariant();
    return role == ui::SortRole ? m_columns.sortData(index.column(), bookmark)
                                : m_columns.cell(index.column(), bookmark, role);
}

bool BookmarkModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!isNote(index) || role != Qt::EditRole)
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
    return isNote(index) ? flags | Qt::ItemIsEditable : flags;
}

QVariant BookmarkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    return m_columns.header(section, role);
}

} // namespace kernscope::app

#include "moc_bookmark_model.cpp"
