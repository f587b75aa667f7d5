// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session_file.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"

namespace kernscope::app {

/// For people: "Overview" of the bundle as a whole, "weights/weight.bin:0x40, 4,096 bytes".
QString placeInWords(const Bookmark &bookmark);
/// For people: a line a bookmark, place and note separated by a tab.
QString bookmarksText(const Bookmarks &bookmarks);

/// The bookmarks of a bundle in the order in which they were made. Notes are edited in place; what
/// was added, removed or renamed can be taken back.
class BookmarkModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit BookmarkModel(QObject *parent = nullptr);

    /// "place", "note", "made"; -1 where there is no such column.
    int columnOf(std::string_view key) const { return m_columns.indexOf(key); }

    /// Another bundle's: nothing before can be taken back. Emits no edited().
    void setBookmarks(Bookmarks bookmarks);
    const Bookmarks &bookmarks() const { return m_bookmarks; }
    /// The row of it; of a place that has one already, that row, and nothing changes. -1: there are
    /// kMostBookmarks.
    int add(Bookmark bookmark);
    /// Those that are not there yet; how many were added.
    int addAll(const Bookmarks &bookmarks);
    void remove(std::vector<int> rows);
    int rowOf(const QString &place, std::uint64_t bytes) const; ///< -1: none
    bool canUndo() const { return !m_before.empty(); }
    void undo();

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void edited(); ///< they are to be kept

private:
    void remember();
    bool isNote(const QModelIndex &index) const;

    ui::WindowColumns<Bookmark> m_columns;
    Bookmarks m_bookmarks;
    std::vector<Bookmarks> m_before; ///< newest last; lists share what they have in common
};

/// The bookmarks of the open bundle: places with notes, kept with the user's state or beside the
/// bundle.
class BookmarksDock final : public ui::Dock
{
    Q_OBJECT

public:
    explicit BookmarksDock(ui::Session &session, QWidget *parent = nullptr);

    /// Where they are kept; without one they last as long as the bundle is open.
    void setStore(const QString &folder);
    BookmarkModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }

    /// Keeps the current place and begins to edit its note; a place that has a bookmark gets no
    /// second one.
    void addHere();
    /// Goes to the bookmark after (1) or before (-1) the one that is selected, round the list.
    void step(int direction);
    /// Writes all as JSON, or as lines of text where the name ends with ".txt". What went wrong, or
    /// an empty text.
    QString exportTo(const QString &path) const;
    /// Adds those of a JSON file that are not there yet. What went wrong, or an empty text.
    QString importFrom(const QString &path);

protected:
    void refresh() override { showRows(); }

private:
    void buildActions();
    void load();
    void followSaveAs();
    void keep();
    void keepBeside(bool beside);
    void go(int row);
    void removeSelected();
    void askExport();
    void askImport();
    void showRows();
    QString bundlePath() const;

    BookmarkModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QAction *m_undo = nullptr, *m_beside = nullptr;
    std::optional<BookmarkStore> m_store;
    QString m_path;   ///< of the bundle whose bookmarks these are
    Bookmarks m_kept; ///< as this window last read or wrote them
    QString m_fault;  ///< the file of bookmarks cannot be read: it is left as it is
};

} // namespace kernscope::app
