// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/view_menu.h"

#include "app/dock_set.h"
#include "app/menu_actions.h"
#include "app/table_columns.h"
#include "app/theme_switch.h"
#include "widgets/common/dock.h"
#include "widgets/common/session.h"
#include "widgets/common/task_manager.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

namespace kernscope::app {

void ViewMenu::fill(QMenu *menu)
{
    m_layouts = new QActionGroup(this);
    int key = Qt::Key_1;
    for (const Layout layout : kLayouts) {
        QAction *action = m_actions->add(
            menu, layoutTitle(layout), QKeySequence(Qt::CTRL | static_cast<Qt::Key>(key++)),
            Needs::Bundle, [this, layout] { Q_EMIT layoutChosen(layout); });
        action->setCheckable(true);
        action->setData(static_cast<int>(layout));
        m_layouts->addAction(action);
    }
    m_actions->add(menu, tr("&Reset Layout"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, Needs::Bundle,
                   [this] { Q_EMIT resetAsked(); });
    menu->addSeparator();
    addDocks(menu->addMenu(tr("&Docks")));
    addFocus(menu->addMenu(tr("Dock in &Focus")));
    addColumns(menu->addMenu(tr("&Columns of the Table in Focus")));
    addAppearance(menu);
    m_actions->add(menu, tr("&Cancel What Is Running"), Qt::CTRL | Qt::Key_Period, Needs::Bundle,
                   [this] { m_session.tasks().cancelAll(); });
    QAction *full = m_actions->add(menu, tr("&Full Screen"), QKeySequence(Qt::Key_F11), [this] {
        m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen);
    });
    full->setStatusTip(tr("Fill the screen, or go back to a window"));
}

void ViewMenu::addDocks(QMenu *menu)
{
    for (const DockSet::Entry &entry : m_docks->entries()) {
        menu->addAction(entry.show);
        connect(entry.show, &QAction::triggered, this, &ViewMenu::docksAsked);
        m_actions->need(entry.show, Needs::Bundle);
    }
}

/// What stands in the title bar of the dock in focus, or at the end of its row of tabs.
void ViewMenu::addFocus(QMenu *menu)
{
    const auto addStanding = [this, menu](const QString &text, Qt::Key key, qsizetype which) {
        m_actions->add(menu, text, QKeySequence(Qt::CTRL | Qt::ALT | key), Needs::Bundle,
                       [this, which] {
                           if (ui::Dock *dock = m_docks->focused())
                               dock->standingActions()[which]->trigger();
                           else
                               Q_EMIT m_session.statusMessage(tr("No dock holds the focus."));
                       });
    };
    addStanding(tr("&Pin or Unpin"), Qt::Key_P, 0);
    addStanding(tr("&Float or Dock"), Qt::Key_F, 1);
    addStanding(tr("&Hide"), Qt::Key_W, 2);
}

/// The same as the context menu of the table's header, for the keyboard.
void ViewMenu::addColumns(QMenu *menu)
{
    m_actions->need(menu->menuAction(), Needs::Bundle);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        m_columns->fillMenu(menu, m_columns->current());
        if (menu->isEmpty())
            menu->addAction(tr("Go to a table first"))->setEnabled(false);
    });
}

void ViewMenu::addAppearance(QMenu *menu)
{
    QMenu *themes = menu->addMenu(tr("&Theme"));
    auto *group = new QActionGroup(this);
    const auto addTheme = [&](const QString &text, ThemeChoice choice) {
        QAction *action =
            m_actions->add(themes, text, {}, [this, choice] { m_theme.choose(choice); });
        action->setCheckable(true);
        action->setChecked(m_theme.choice() == choice);
        group->addAction(action);
    };
    addTheme(tr("&System"), ThemeChoice::System);
    addTheme(tr("&Light"), ThemeChoice::Light);
    addTheme(tr("&Dark"), ThemeChoice::Dark);
    QMenu *text = menu->addMenu(tr("Te&xt Size"));
    m_actions->add(text, tr("&Larger"), Qt::CTRL | Qt::ALT | Qt::Key_Plus,
                   [this] { m_theme.changeFont(1); });
    m_actions->add(text, tr("&Smaller"), Qt::CTRL | Qt::ALT | Qt::Key_Minus,
                   [this] { m_theme.changeFont(-1); });
    m_actions->add(text, tr("&As the System Has It"), Qt::CTRL | Qt::ALT | Qt::Key_0,
                   [this] { m_theme.changeFont(0); });
}

} // namespace kernscope::app

#include "moc_view_menu.cpp"
