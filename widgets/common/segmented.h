// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QToolButton>

class QHBoxLayout;

namespace kernscope::ui {

/// A switch of a few words of which one is chosen: a rounded track with the chosen word on a
/// lighter ground. Every word is an action, so that menus and shortcuts hold the same. Tab comes to
/// the chosen word only; arrows, Home and End choose another.
class Segmented final : public QWidget
{
    Q_OBJECT

public:
    explicit Segmented(const QString &name, QWidget *parent = nullptr);

    /// `action` is checkable and in an exclusive group; its text is the word.
    void add(QAction *action);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void takeTab();
    void choose(qsizetype at, int step);

    QHBoxLayout *m_row = nullptr;
    QList<QToolButton *> m_segments;
};

} // namespace kernscope::ui
