// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace kernscope::app {

/// The box of the tour: what a step says, and Back, Next and End. It lies over the window and takes
/// no other part of it. Keys while it has the focus: Left and Right go back and on, Escape ends.
class TourPanel final : public QFrame
{
    Q_OBJECT

public:
    explicit TourPanel(QWidget *window);

    /// Step `index` of `count`, counted from 0.
    void say(const QString &title, const QString &text, std::size_t index, std::size_t count);
    /// Beside `target` where there is room (in coordinates of the window), else over its lower end;
    /// an empty one: in the middle.
    void placeBeside(const QRect &target);
    void takeFocus();

    QPushButton *backButton() const { return m_back; }
    QPushButton *nextButton() const { return m_next; }

Q_SIGNALS:
    void back();
    void next();
    void end();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    bool takesKey(int key);
    void wearPalette();

    QLabel *m_title = nullptr, *m_text = nullptr, *m_count = nullptr;
    QPushButton *m_back = nullptr, *m_next = nullptr, *m_end = nullptr;
};

/// A frame of the accent about what a step points at; it takes no mouse.
class TourFrame final : public QWidget
{
    Q_OBJECT

public:
    explicit TourFrame(QWidget *window);
    /// In coordinates of the window; empty: hidden.
    void surround(const QRect &target);

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace kernscope::app
