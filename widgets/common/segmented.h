// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

class QHBoxLayout;

namespace kernscope::ui {

/// A switch of a few words of which one is chosen: a rounded track with the chosen word on a
/// lighter ground. Every word is an action, so that menus and shortcuts hold the same.
class Segmented final : public QWidget
{
    Q_OBJECT

public:
    explicit Segmented(const QString &name, QWidget *parent = nullptr);

    /// `action` is checkable and in an exclusive group; its text is the word.
    void add(QAction *action);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QHBoxLayout *m_row = nullptr;
};

} // namespace kernscope::ui
