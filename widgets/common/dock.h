// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"

#include <QDockWidget>
#include <QList>
#include <QWidget>

namespace kernscope::ui {

class FactTreeModel;

class ElidedLabel;

/// Title bar of a dock: its title, a note or pickers, and a button for each of the dock's actions
/// (pin, float, hide). All buttons can be reached by Tab; dragging works as with the style's own
/// bar. Where the dock is one of several in tabs, the bar stands bare (without the title, which
/// the tab says) in the row of the tabs.
class DockTitleBar : public QWidget
{
    Q_OBJECT

public:
    DockTitleBar(QDockWidget *dock, const QList<QAction *> &buttons);

    /// Faint words at the right of the title: what the dock shows in a few figures.
    void setNote(const QString &text);
    /// What stands beside the title instead of the note: pickers that head the content. It becomes
    /// a child of the bar; another parent takes it away again.
    void setHeader(QWidget *header);
    void setBare(bool bare);
    /// The least width in pixels while bare, of the buttons alone or with `header`.
    int leastWidth(const QWidget *header) const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_title = nullptr;
    ElidedLabel *m_note = nullptr;
    QWidget *m_buttons = nullptr;
    bool m_bare = false;
    bool m_focused = false; ///< the dock holds the keyboard focus
};

/// Base of every dock: follows the common position unless pinned, puts off its refresh while it is
/// hidden, and says what would make it show something when it has nothing.
class Dock : public QDockWidget
{
    Q_OBJECT

public:
    /// `id` is stable: it is the dock's objectName, its settings key and its help page.
    Dock(Session &session, const QString &id, const QString &title, QWidget *parent = nullptr);

    QString id() const { return objectName(); }
    bool pinned() const;
    void setPinned(bool pinned);
    /// Makes the dock a part of another one: no title, no floating; its pin is the other one's.
    void embedIn(Dock &other);
    /// What the dock can do, for the window's menus.
    virtual QList<QAction *> menuActions() const { return m_actions; }
    /// Pin, float and hide: buttons of the title bar, and for the window's menus.
    const QList<QAction *> &standingActions() const { return m_standing; }
    /// The dock is one of several in tabs: its tab says the title, and what else stands in the
    /// title bar stands at the end of the row of tabs, in `place` of it, as long as this is the tab
    /// on view. Null: the dock has its own title bar. False where `place` has no room for it.
    bool standInTabs(QWidget *row, const QRect &place, bool onView);
    /// Where this dock stands: the common position, or where the dock was pinned the one that it
    /// had then or picked itself since.
    const Place &place() const { return m_held ? *m_held : m_session.place(); }
    /// Whether a picture of the dock would show real content now; false: an empty-state message.
    bool showsContent() const;
    /// Buttons below the sentence that says why there is nothing: what one can begin with here.
    void setMessageActions(const QList<QAction *> &actions);
    /// True while a refresh is put off or a task of this dock is running (screenshots wait).
    bool busy() const { return (m_stale && onView() && !hidesFiles()) || working(); }
    /// Visible, and not behind the tab of another dock.
    bool onView() const;

Q_SIGNALS:
    void pinnedChanged(bool pinned);
    /// It is on view and has read what it shows: not busy() any more.
    void filled();
    /// The person wants to see what the dock of this id shows: it should come to the front.
    void raiseRequested(const QString &dockId);

protected:
    Session &session() { return m_session; }
    const Session &session() const { return m_session; }

    /// The widget that shows things; call once from the constructor. It scrolls where the dock is
    /// smaller than it needs at least.
    /// `focus`: its part that gets the keyboard.
    void setContent(QWidget *content, QWidget *focus = nullptr);
    void showContent();
    /// Faint words beside the title; pickers that stand there instead of them.
    void setNote(const QString &text) { m_bar->setNote(text); }
    void setHeader(QWidget *header);
    /// Shows a sentence instead: why there is nothing, and what would make it show something.
    void showMessage(const QString &text);

    /// Why a dock of a comparison has nothing to compare: no bundle is open, or a single one.
    QString needsPair() const;
    /// For a dock that shows no bytes of the files: it goes on when another program changed them.
    void setShowsFiles(bool shows) { m_showsFiles = shows; }

    /// Called (never while hidden) after bundleChanged and bytesChanged, or after update().
    virtual void refresh() {}
    /// Called (never while hidden or pinned) after the common position moved, and by followPlace().
    virtual void follow(const Place &place, QObject *origin);
    /// For refresh(), after the rows were made anew: shows place() again.
    void followPlace() { follow(place(), nullptr); }
    /// Whether one of the jobs runs that were made with this dock as their parent.
    virtual bool working() const;

    /// Asks for refresh() soon; several calls before the next event loop turn are one.
    void scheduleRefresh();

    void showEvent(QShowEvent *event) override;

    void raiseHex() { Q_EMIT raiseRequested(QStringLiteral("hex")); }
    QAction *hexAction(); ///< that does
    /// A row that the person chooses leads to its bytes, Enter on it to Hex.
    void leadToBytes(QTreeView *view, const FactTreeModel *model);

    QList<QAction *> m_actions; ///< menuActions()
    bool m_following = false;   ///< rows are chosen by the place, not by the person

private:
    void catchUp();
    void tellFilled();
    void createStandingActions();
    void followSession();
    void runRefresh();
    void forgetPlace();
    /// Another program changed the files: nothing of them is shown or read.
    bool hidesFiles() const { return m_showsFiles && !m_session.filesHold(); }
    void turnTo(QWidget *page);
    void onFilesHoldChanged();
    void onPlaceChanged(const Place &place, QObject *origin);

    Session &m_session;
    QStackedWidget *m_stack = nullptr;
    QLabel *m_message = nullptr;
    QWidget *m_messageButtons = nullptr;
    QWidget *m_messageArea = nullptr;
    QLabel *m_changed = nullptr;
    QWidget *m_changedArea = nullptr; ///< instead of anything while the files do not hold
    QWidget *m_page = nullptr;        ///< what is shown while they do
    bool m_showsFiles = true;
    QWidget *m_area = nullptr;    ///< shows the content
    QPointer<DockTitleBar> m_bar; ///< a child of the row of tabs while it stands there
    QWidget *m_head = nullptr;    ///< instead of the bar then: the header, or nothing
    QPointer<QWidget> m_header;
    QAction *m_pin = nullptr;
    QList<QAction *> m_standing;
    std::optional<Place> m_held; ///< while pinned
    bool m_stale = true, m_placeStale = false, m_scheduled = false;
    bool m_filled = false; ///< filled() said so, and it still holds
};

} // namespace kernscope::ui
