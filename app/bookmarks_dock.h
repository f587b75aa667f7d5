// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/bookmark.h"
#include "widgets/common/dock.h"

#include <QList>

#include <optional>

class QTableView;

namespace kernscope::app {

class BookmarkModel;

/// The bookmarks of the open bundle: places with notes, kept with the user's state or beside the
/// bundle.
class BookmarksDock final : public ui::Dock
{
    Q_OBJECT

public:
    explicit BookmarksDock(ui::Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    /// Where they are kept; without one they last as long as the bundle is open.
    void setStore(const QString &folder);
    BookmarkModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }

    /// Keeps the place of now and begins to edit its note; a place that has a bookmark gets no
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
    void refresh() override;

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
    QList<QAction *> m_actions;
    std::optional<BookmarkStore> m_store;
    QString m_path;  ///< of the bundle whose bookmarks these are
    QString m_fault; ///< the file of bookmarks cannot be read: it is left as it is
};

} // namespace kernscope::app
