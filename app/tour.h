// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layouts.h"

#include <QFrame>
#include <QPointer>
#include <QPushButton>
#include <QTimer>

class QLabel;

namespace kernscope::app {

/// One step of the tour: a row of resources/tour/steps.csv.
struct TourStep {
    QString title, text;          ///< in the language of the window
    QString bundle, other;        ///< builds of the embedded sample; empty: what is open stays
    std::optional<Layout> layout; ///< nothing: the current layout stays
    /// What the step points at: "dock/ID", "dock/ID/OBJECT NAME", "action/OBJECT NAME" (its button
    /// in the tool bar), "menu/OBJECT NAME", or "search".
    QString target;
    QString place; ///< as parsePlace() reads it; empty: the current place stays
};

/// The steps in their order; empty where the table is unsound (a test holds that it is not).
std::vector<TourStep> tourSteps();

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
    void takeFocus() { m_next->setFocus(Qt::OtherFocusReason); }

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

class MainWindow;
class Settings;

/// Walks the embedded sample through the three uses of the window. Each step opens what it is
/// about, goes there and points at the real thing; everything stays at hand meanwhile, and
/// nothing is changed or written.
class Tour final : public QObject
{
    Q_OBJECT

public:
    explicit Tour(MainWindow &window);

    /// What else there is of the sample that is open; the tour itself once. The Help menu has it
    /// always.
    void offer(Settings &settings);
    void start(); ///< from the first step
    void next();  ///< after the last step it ends
    void back();
    void end();
    bool running() const { return m_running; }

    const std::vector<TourStep> &steps() const { return m_steps; }
    std::size_t at() const { return m_at; }
    TourPanel *panel() const { return m_panel; }
    TourFrame *frame() const { return m_frame; }
    /// What the current step points at, in coordinates of the window; empty while it is not there.
    QRect target() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void offerBefore();
    void show(std::size_t step);
    bool holdsBundle(const TourStep &step) const;
    void arrive();
    void point();
    QWidget *targetWidget(const TourStep &step) const;
    void watch(QWidget *widget);

    MainWindow &m_window;
    std::vector<TourStep> m_steps;
    TourPanel *m_panel = nullptr;
    TourFrame *m_frame = nullptr;
    QPointer<QWidget> m_watched;
    QTimer m_pointing;
    std::size_t m_at = 0;
    bool m_running = false, m_arrived = false;
    QStringList m_before; ///< what the sample took the place of
};

} // namespace kernscope::app
