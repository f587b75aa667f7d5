// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/command_palette.h"
#include "app/window_parts.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QLineEdit>
#include <QTimer>

namespace kernscope::app {

/// The line at the right of the tools: type a place, or a part of the name of anything; what is
/// found is listed below. Enter goes to the place, else runs the chosen or the first hit.
class GoToBox : public QLineEdit
{
    Q_OBJECT

public:
    explicit GoToBox(ui::Session &session, QWidget *parent = nullptr);

    /// Called when typing begins: adds what can be found beside the bundle's own names.
    void setSource(std::function<void(PaletteIndex &)> source) { m_source = std::move(source); }
    PaletteList &hits();
    bool indexing() const { return m_task.running(); }
    /// The names of the bundle are at hand, or soon will be.
    bool holdsNames() const { return m_indexed != nullptr; }
    void setRestDelay(int milliseconds) { m_rest.setInterval(milliseconds); }

    QSize sizeHint() const override;

Q_SIGNALS:
    /// Escape, or a place was found: the focus goes back to where it was.
    void left();
    /// A register of a task: the session is at its bytes.
    void registerChosen();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    /// Names of the bundle; those of a large one by a task, which lists the hits anew.
    void indexNames();
    static PaletteIndex namesOf(const BundlePtr &bundle, ui::Session &session, QObject *origin);
    void dropNames(); ///< of the bundle
    void search();
    void go();
    void run(int row);
    void showFault(const QString &text);
    void hideHits();
    void release();

    ui::Session &m_session;
    std::function<void(PaletteIndex &)> m_source;
    PaletteIndex m_index;
    PaletteList *m_hits = nullptr;
    QAction *m_fault = nullptr;
    ui::Job m_task{m_session.tasks()}; ///< indexes names
    BundlePtr m_indexed;               ///< whose names are in the index, or soon will be
    QTimer m_rest;                     ///< since it was used
    bool m_stale = true; ///< actions, chips and help in the index are of another moment
};

/// The Go menu: places that were visited, the search box, bookmarks, the next weight.
class GoMenu final : public Controller
{
    Q_OBJECT

public:
    explicit GoMenu(const WindowParts &parts) : Controller(parts) {}

    void fill(QMenu *menu);
    QAction *back() const { return m_back; }
    QAction *forward() const { return m_forward; }
    /// The places before or after the current one, the nearest first.
    void fillHistory(QMenu *menu, bool back);

Q_SIGNALS:
    void searchAsked();
    void docksAsked(); ///< the docks are to be in view

private:
    void fillVisited(QMenu *menu);
    QAction *addVisited(QMenu *menu, std::size_t at);
    void copyLink();
    void stepWeight(int direction);

    QAction *m_back = nullptr, *m_forward = nullptr;
};

} // namespace kernscope::app
