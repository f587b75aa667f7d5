// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/go_to_box.h"
#include "app/tour.h"
#include "widgets/common/dock.h"
#include "widgets/common/line_icon.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QTimer>

namespace kernscope::app {

void MainWindow::buildGoMenu()
{
    QMenu *menu = menuBar()->addMenu(tr("&Go"));
    m_back = add(menu, tr("&Back"), Qt::ALT | Qt::Key_Left, [this] { m_session.goBack(); });
    m_back->setIcon(ui::lineIcon(QStringLiteral("back")));
    m_back->setToolTip(tr("Back to the place before (Alt+Left)"));
    m_forward =
        add(menu, tr("&Forward"), Qt::ALT | Qt::Key_Right, [this] { m_session.goForward(); });
    m_forward->setIcon(ui::lineIcon(QStringLiteral("forward")));
    m_forward->setToolTip(tr("Forward again (Alt+Right)"));
    QMenu *visited = menu->addMenu(tr("&Visited Places"));
    connect(visited, &QMenu::aboutToShow, this, [this, visited] { fillVisited(visited); });
    m_needBundle << visited->menuAction();
    const auto focusBox = [this] {
        m_goTo->setFocus(Qt::ShortcutFocusReason);
        m_goTo->selectAll();
    };
    QAction *find = add(menu, tr("&Search\u2026"), Qt::CTRL | Qt::Key_K, focusBox);
    find->setIcon(ui::lineIcon(QStringLiteral("search")));
    m_needBundle << add(menu, tr("&Go To\u2026"), Qt::CTRL | Qt::Key_G, focusBox);
    m_needBundle << add(menu, tr("Copy &Link to This Place"), Qt::CTRL | Qt::SHIFT | Qt::Key_L,
                        [this] { copyLink(); });
    menu->addSeparator();
    m_needBundle << add(menu, tr("Add Book&mark"), Qt::CTRL | Qt::Key_D, [this] {
        showWelcome(false);
        DockSet::reveal(m_docks->bookmarks());
        m_docks->bookmarks()->addHere();
    });
    m_needBundle << add(menu, tr("Next Bookmar&k"), Qt::ALT | Qt::Key_PageDown,
                        [this] { m_docks->bookmarks()->step(1); });
    m_needBundle << add(menu, tr("Previous B&ookmark"), Qt::ALT | Qt::Key_PageUp,
                        [this] { m_docks->bookmarks()->step(-1); });
    menu->addSeparator();
    m_needBundle << add(menu, tr("&Next Weight"), Qt::ALT | Qt::Key_Down,
                        [this] { stepWeight(1); });
    m_needBundle << add(menu, tr("&Previous Weight"), Qt::ALT | Qt::Key_Up,
                        [this] { stepWeight(-1); });
}

/// The overview makes room for the first weight that is chosen: at once where both are on view,
/// else as soon as Inspect is shown.
void MainWindow::onPlaceChanged()
{
    ui::Dock *overview = m_docks->dock(QStringLiteral("overview"));
    ui::Dock *weight = m_docks->dock(QStringLiteral("weight"));
    const ui::Place &place = m_session.place();
    const bool chosen = m_session.bundle() && place.weight < m_session.bundle()->weights().size();
    m_weightChosenElsewhere = chosen && m_layouts->current() != Layout::Inspect;
    if (!m_host->tabifiedDockWidgets(overview).contains(weight))
        return;
    if (chosen && overview->isVisible() && !overview->visibleRegion().isEmpty())
        weight->raise();
    else if (place == ui::Place())
        overview->raise();
}

/// The keyboard goes on in what the workspace is about, once its docks have their places: where
/// `before`, the dock that had it, is out of view now.
void MainWindow::focusWorkspace(ui::Dock *before)
{
    QTimer::singleShot(0, this, [this, before] {
        if (!before)
            return;
        // A dock that both workspaces show loses the keyboard where it is hidden in between.
        ui::Dock *dock = before->onView() ? before : m_layouts->mainDock();
        if (dock && m_docks->focused() != dock)
            dock->setFocus(Qt::ShortcutFocusReason);
    });
}

/// The tasks come into view, and follow to the register that was chosen.
void MainWindow::showRegister()
{
    showLayout(Layout::Hardware);
    DockSet::reveal(m_docks->dock(QStringLiteral("tasks")));
}

/// The keyboard begins in the navigator, or where the workspace has none in what it is about.
void MainWindow::focusOpened()
{
    QTimer::singleShot(0, this, [this] { // once the docks have their places
        const bool typing = m_goTo->hasFocus() && !m_goTo->text().isEmpty();
        if (typing || m_tour->running())
            return;
        ui::Dock *dock = m_docks->dock(QStringLiteral("bundle"));
        if (!dock->onView())
            dock = m_layouts->mainDock();
        if (dock)
            dock->setFocus(Qt::OtherFocusReason);
    });
}

} // namespace kernscope::app
