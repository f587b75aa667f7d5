// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

class QAbstractItemView;
class QHeaderView;
class QMenu;

namespace kernscope::app {

class DockSet;
class Settings;

/// Lets one choose, order and hide the columns of every table and tree of the docks: by dragging
/// a header, by its context menu, by a menu of the window. What was chosen is kept in the settings,
/// by the dock and the table's name. The grid of values is left alone: its columns are the
/// weight's.
class TableColumns final : public QObject
{
    Q_OBJECT

public:
    TableColumns(const DockSet &docks, Settings &settings, QObject *parent = nullptr);

    /// The table that holds the focus, or the only one of the dock that does; else none.
    QAbstractItemView *current() const;
    /// Fills with a checkable action a column, and what brings all back.
    void fillMenu(QMenu *menu, QAbstractItemView *view);

    /// The order and the hidden columns as text: "0 2 -1" shows columns 0 and 2, and hides
    /// column 1.
    static QString stateOf(const QHeaderView &header);
    /// False where the text is not of as many columns as the header has; nothing changes then.
    static bool restore(QHeaderView &header, const QString &state);

private:
    void adopt(const QString &dock, QAbstractItemView *view);
    void keep(QHeaderView *header);
    void bringBack(QHeaderView *header);

    const DockSet &m_docks;
    Settings &m_settings;
    bool m_restoring = false;
};

} // namespace kernscope::app
