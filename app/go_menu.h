// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"

#include <QString>

#include <cstddef>

class QAction;

namespace kernscope::app {

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
