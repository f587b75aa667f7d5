// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QDockWidget;
class QLabel;

namespace kernscope::ui {

class ElidedLabel;

/// Title bar of a dock: its title, a note or pickers, and a button for each of the dock's actions
/// (pin, float, hide). All buttons can be reached by Tab; dragging works as with the style's own
/// bar. Where the dock is one of several in tabs, the bar stands bare (without the title, which
/// the tab says) in the row of the tabs.
class DockTitleBar : public QWidget
{
    Q_OBJECT

public:
    DockTitleBar(QDockWidget *dock, const QList<QAction *> &buttons);

    /// Faint words at the right of the title: what the dock shows in a few figures.
    void setNote(const QString &text);
    /// What stands beside the title instead of the note: pickers that head the content. It becomes
    /// a child of the bar; another parent takes it away again.
    void setHeader(QWidget *header);
    void setBare(bool bare);
    /// The least width in pixels while bare, of the buttons alone or with `header`.
    int leastWidth(const QWidget *header) const;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_title = nullptr;
    ElidedLabel *m_note = nullptr;
    QWidget *m_buttons = nullptr;
    bool m_bare = false;
    bool m_focused = false; ///< the dock holds the keyboard focus
};

} // namespace kernscope::ui
