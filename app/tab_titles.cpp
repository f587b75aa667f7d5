// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tab_titles.h"

#include "app/dock_set.h"

#include <QChildEvent>
#include <QContextMenuEvent>
#include <QMainWindow>
#include <QMenu>
#include <QTabBar>
#include <QTimer>

namespace kernscope::app {

TabTitles::TabTitles(QMainWindow *host, const DockSet &docks, QObject *parent)
    : QObject(parent), m_host(host), m_docks(docks)
{
    host->installEventFilter(this);
    for (const DockSet::Entry &entry : docks.entries()) {
        entry.dock->installEventFilter(this);
        connect(entry.dock, &QDockWidget::topLevelChanged, this, &TabTitles::schedule);
        connect(entry.dock, &QDockWidget::dockLocationChanged, this, &TabTitles::schedule);
    }
    for (QTabBar *tabs : host->findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly))
        watch(tabs);
}

void TabTitles::watch(QTabBar *tabs)
{
    tabs->installEventFilter(this);
    connect(tabs, &QTabBar::currentChanged, this, &TabTitles::schedule, Qt::UniqueConnection);
    schedule();
}

bool TabTitles::eventFilter(QObject *watched, QEvent *event)
{
    auto *tabs = qobject_cast<QTabBar *>(watched);
    switch (event->type()) {
    case QEvent::ChildPolished:
        if (watched == m_host) {
            if (auto *child = qobject_cast<QTabBar *>(static_cast<QChildEvent *>(event)->child()))
                watch(child);
        }
        break;
    case QEvent::Resize:
    case QEvent::LayoutRequest:
        if (tabs)
            schedule();
        break;
    case QEvent::Show:
    case QEvent::Hide:
        if (watched != m_host)
            schedule();
        break;
    case QEvent::ContextMenu:
        if (tabs) {
            const auto *asked = static_cast<QContextMenuEvent *>(event);
            if (ui::Dock *dock = dockOf(tabs, tabs->tabAt(asked->pos()))) {
                auto *menu = new QMenu(tabs);
                menu->setAttribute(Qt::WA_DeleteOnClose);
                menu->addActions(dock->standingActions());
                menu->popup(asked->globalPos());
            }
            return true;
        }
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

/// Qt moves docks and makes tabs in several steps: once, after all of them.
void TabTitles::schedule()
{
    if (m_scheduled)
        return;
    m_scheduled = true;
    QTimer::singleShot(0, this, [this] {
        m_scheduled = false;
        update();
    });
}

/// Qt keeps the address of each dock in the data of its tab.
ui::Dock *TabTitles::dockOf(const QTabBar *tabs, int index) const
{
    const auto address = tabs->tabData(index).value<quintptr>();
    for (const DockSet::Entry &entry : m_docks.entries()) {
        if (reinterpret_cast<quintptr>(static_cast<QWidget *>(entry.dock)) == address)
            return entry.dock;
    }
    return nullptr;
}

void TabTitles::update()
{
    QList<ui::Dock *> placed;
    for (QTabBar *tabs : m_host->findChildren<QTabBar *>(QString(), Qt::FindDirectChildrenOnly)) {
        if (tabs->isVisible() && tabs->count() > 1)
            updateRow(tabs, placed);
    }
    for (const DockSet::Entry &entry : m_docks.entries()) {
        if (!placed.contains(entry.dock))
            entry.dock->standInTabs(nullptr, {}, false);
    }
}

void TabTitles::updateRow(QTabBar *tabs, QList<ui::Dock *> &placed)
{
    QRect used;
    for (int i = 0; i < tabs->count(); ++i)
        used |= tabs->tabRect(i);
    QRect room = tabs->rect();
    if (tabs->layoutDirection() == Qt::RightToLeft)
        room.setRight(used.left() - 1);
    else
        room.setLeft(used.right() + 1);
    for (int i = 0; i < tabs->count(); ++i) {
        ui::Dock *dock = dockOf(tabs, i);
        // A row that Qt keeps for later still names the docks that have left it for a window of
        // their own, where they need their title.
        if (dock && !dock->isFloating() && dock->standInTabs(tabs, room, i == tabs->currentIndex()))
            placed += dock;
    }
}

} // namespace kernscope::app

#include "moc_tab_titles.cpp"
