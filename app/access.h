// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"

#include <QObject>

namespace kernscope::app {

/// What Tab and Shift+Tab do beyond what Qt does in a window of docks: they pass over docks that
/// stand behind the tab of another one, and leave a text with links at its first link, where
/// QLabel would stay. A table that gets the keyboard by another way, as when a dock is hidden,
/// chooses no row.
class TabOrder final : public QObject
{
    Q_OBJECT

public:
    /// For the widgets of that window; goes with it.
    explicit TabOrder(QWidget *window);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool takes(const QWidget *widget) const;
    void moveOn(QWidget *from, bool forward) const;
    void handle(QWidget *widget, QKeyEvent *event) const;

    QWidget *m_window;
    bool m_handling = false;
};

/// From now on the views that draw themselves (bytes, pictures, maps, plots) have a role of their
/// own for assistive programs, and say as their value what their cursor is on: the text that they
/// keep in QWidget::accessibleDescription(). Further calls do nothing. The GUI thread only.
void installViewAccessibility();

} // namespace kernscope::app
