// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layouts.h"
#include "app/window_parts.h"

class QActionGroup;

namespace kernscope::app {

class TableColumns;
class ThemeSwitch;

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
