// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tour_steps.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace kernscope::app {

class MainWindow;
class TourFrame;
class TourPanel;

/// Walks the embedded sample through the three uses of the window. Each step opens what it is
/// about, goes there and points at the real thing; everything stays at hand meanwhile, and
/// nothing is changed or written.
class Tour final : public QObject
{
    Q_OBJECT

public:
    explicit Tour(MainWindow &window);

    void start(); ///< from the first step
    void next();  ///< after the last step it ends
    void back();
    void end();
    bool running() const { return m_running; }

    const std::vector<TourStep> &steps() const { return m_steps; }
    std::size_t at() const { return m_at; }
    TourPanel *panel() const { return m_panel; }
    TourFrame *frame() const { return m_frame; }
    /// What the step of now points at, in coordinates of the window; empty while it is not there.
    QRect target() const;

Q_SIGNALS:
    void runningChanged(bool running);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
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
};

} // namespace kernscope::app
