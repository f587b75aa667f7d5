// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QDockWidget;
class QLabel;
class QToolButton;

namespace kernscope::ui {

/// Title bar of a dock: its title, the pin that stops it from following, float and close. All
/// buttons can be reached by Tab; dragging works as with the style's own bar.
class DockTitleBar : public QWidget
{
    Q_OBJECT

public:
    explicit DockTitleBar(QDockWidget *dock);
    QToolButton *pinButton() const { return m_pin; }
    /// Faint words at the right of the title: what the dock shows in a few figures.
    void setNote(const QString &text);
    /// What stands beside the title instead of the note: pickers that head the content.
    void setHeader(QWidget *header);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_title = nullptr, *m_note = nullptr;
    QToolButton *m_pin = nullptr;
    bool m_focused = false; ///< the dock holds the keyboard focus
};

} // namespace kernscope::ui
