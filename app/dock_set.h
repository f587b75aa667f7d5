// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QHash>
#include <QKeySequence>
#include <QObject>
#include <QSize>
#include <QStringList>

namespace kernscope::ui {
class CompareDock;
class DiagnosticsDock;
class HelpDock;
class PatchesDock;
} // namespace kernscope::ui

namespace kernscope::app {

class DockSet;

/// Docks that share a place in tabs have no title bars of their own: the tab says the title, and
/// pin, float and hide (and what a dock has beside its title) stand at the end of the row of tabs.
/// The same three are in the context menu of a tab.
class TabTitles : public QObject
{
    Q_OBJECT

public:
    TabTitles(QMainWindow *host, const DockSet &docks, QObject *parent = nullptr);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void schedule();
    void update();
    void updateRow(QTabBar *tabs, QList<ui::Dock *> &placed);
    void watch(QTabBar *tabs);
    ui::Dock *dockOf(const QTabBar *tabs, int index) const;

    QMainWindow *m_host;
    const DockSet &m_docks;
    bool m_scheduled = false;
};

class BookmarksDock;

/// Makes every dock of the window and knows them by id. Adding a dock is a line in its constructor.
class DockSet : public QObject
{
    Q_OBJECT

public:
    /// Docks become children of `host`, without a place yet.
    DockSet(ui::Session &session, QMainWindow *host, QObject *parent = nullptr);

    struct Entry {
        ui::Dock *dock = nullptr;
        QAction *show = nullptr;      ///< shows, raises and focuses; hides what has the focus
        QList<QAction *> menuActions; ///< the dock's own
    };
    const std::vector<Entry> &entries() const { return m_entries; }
    QStringList ids() const;
    ui::Dock *dock(const QString &id) const; ///< null where there is none
    /// The dock that holds the focus, or null.
    ui::Dock *focused() const;
    /// What a person most likely looks at where none has the focus; null: none is on view.
    ui::Dock *largestOnView() const;
    static void reveal(ui::Dock *dock);
    /// What was hidden comes back at the size that another arrangement gives it.
    void forgetSizes() { m_sizes.clear(); }

    BookmarksDock *bookmarks() const { return m_bookmarks; }
    ui::CompareDock *compare() const { return m_compare; }
    ui::DiagnosticsDock *diagnostics() const { return m_diagnostics; }
    ui::HelpDock *help() const { return m_help; }
    ui::PatchesDock *patches() const { return m_patches; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void addComparing(ui::Session &session, QMainWindow *host);
    void addChips(ui::Session &session, QMainWindow *host);
    template <class T>
    T *add(ui::Session &session, QMainWindow *host, const QKeySequence &key);

    QMainWindow *m_host;
    std::vector<Entry> m_entries;
    QHash<QObject *, QSize> m_sizes; ///< of docks that were hidden
    BookmarksDock *m_bookmarks = nullptr;
    ui::CompareDock *m_compare = nullptr;
    ui::DiagnosticsDock *m_diagnostics = nullptr;
    ui::HelpDock *m_help = nullptr;
    ui::PatchesDock *m_patches = nullptr;
};

} // namespace kernscope::app
