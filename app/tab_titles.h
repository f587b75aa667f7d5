// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QObject>

class QMainWindow;
class QTabBar;

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

} // namespace kernscope::app
