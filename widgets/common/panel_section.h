// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace kernscope::ui {

/// A part of an inspector: a heading that folds it away, faint words beside the heading, content.
class PanelSection final : public QWidget
{
    Q_OBJECT

public:
    PanelSection(const QString &title, QWidget *content, QWidget *parent);

    void setTitle(const QString &title);
    void setNote(const QString &text);
    QWidget &content() { return *m_content; }
    bool folded() const { return m_folded; }
    void setFolded(bool folded);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QToolButton *m_heading = nullptr;
    QLabel *m_note = nullptr;
    QWidget *m_content = nullptr;
    bool m_folded = false;
};

} // namespace kernscope::ui
