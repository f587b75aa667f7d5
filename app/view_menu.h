// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layouts.h"
#include "app/window_parts.h"
#include "widgets/common/qt_fwd.h"

#include <QFont>

namespace kernscope::app {

class DockSet;

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

/// Palette and font of the application, as the settings have them. Make it before anything changes
/// the palette: what it finds then is the system's.
class ThemeSwitch : public QObject
{
    Q_OBJECT

public:
    explicit ThemeSwitch(Settings &settings, QObject *parent = nullptr);

    ThemeChoice choice() const { return m_settings.theme(); }
    void choose(ThemeChoice choice);
    bool dark() const;
    /// Adds to the font's size; 0 goes back to the system's.
    void changeFont(int step);

private:
    void apply();

    Settings &m_settings;
    bool m_systemDark = false;
    QFont m_systemFont;
};

/// The View menu: workspaces, docks, columns, theme and text size.
class ViewMenu final : public Controller
{
    Q_OBJECT

public:
    ViewMenu(const WindowParts &parts, TableColumns &columns, ThemeSwitch &theme)
        : Controller(parts), m_columns(&columns), m_theme(theme)
    {
    }

    void fill(QMenu *menu);
    QActionGroup *layouts() const { return m_layouts; }

Q_SIGNALS:
    void layoutChosen(kernscope::app::Layout layout);
    void resetAsked();
    void docksAsked(); ///< the docks are to be in view

private:
    void addDocks(QMenu *menu);
    void addFocus(QMenu *menu);
    void addColumns(QMenu *menu);
    void addAppearance(QMenu *menu);

    TableColumns *m_columns;
    ThemeSwitch &m_theme;
    QActionGroup *m_layouts = nullptr;
};

} // namespace kernscope::app
