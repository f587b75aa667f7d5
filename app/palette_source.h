// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

class QMenuBar;

namespace kernscope::ui {
class Session;
}

namespace kernscope::app {

class DockSet;
class PaletteIndex;

/// What the search box finds beside the names of the bundle: actions, kinds of edits, chips, help.
class PaletteSource final : public QObject
{
    Q_OBJECT

public:
    PaletteSource(QMenuBar &menus, ui::Session &session, DockSet &docks, QObject *parent);

    void fill(PaletteIndex &index);

Q_SIGNALS:
    void chipChosen();
    void helpChosen(const QString &page);

private:
    void addActions(PaletteIndex &index);
    void addEdits(PaletteIndex &index);
    void addChips(PaletteIndex &index);
    void addHelp(PaletteIndex &index);

    QMenuBar &m_menus;
    ui::Session &m_session;
    DockSet *m_docks;
};

} // namespace kernscope::app
