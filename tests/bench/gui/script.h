// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/main_window.h"
#include "results.h"

#include <QString>

#include <functional>

class QAbstractScrollArea;
class QEvent;
class QLineEdit;

namespace kernscope::ui {
class Dock;
class PlanDock;
class TileView;
} // namespace kernscope::ui

namespace kernscope::bench {

/// Drives the window as a person would, and notes what each thing took.
class Script
{
public:
    /// `begun`: monotonicNow() before the process was started.
    Script(WatchedApplication &application, app::MainWindow &window, double begun,
           Results &results);

    void open(const QString &path);
    void run();

private:
    void selectKinds();
    void stepThroughWeights();
    void workspaces();
    void docks();
    void planPoints(ui::PlanDock &dock);
    void hex();
    void pictures();
    void pairPictures();
    void weightsTable();
    void filter();
    void palette();
    void closing();

    /// Posts `action` and waits until what it asked for is painted.
    void act(const std::function<void()> &action);
    void send(QObject *receiver, QEvent *event);
    void key(QWidget *view, int key, Qt::KeyboardModifiers modifiers = {},
             const QString &text = {});
    void wheel(QAbstractScrollArea *view, int turn, Qt::KeyboardModifiers modifiers = {});
    /// Until nothing was asked of the GUI thread for some milliseconds.
    void waitQuiet();
    /// Until no task runs and no visible dock is busy; false where it took too long.
    bool settle();
    void rest(); ///< until what tasks have freed is given back
    void noteMemory(const QString &when);
    void begin(const QString &step);
    void addFrames(const Measure &measure);
    void addKey(const Measure &measure);
    void type(QLineEdit *line, const QString &text, const Measure &measure);
    void scrollTable(QAbstractScrollArea *view);
    void openPicture(const QString &dock);
    void zoomPicture(const QString &dock, ui::TileView *view, const Measure &measure);
    ui::Dock *dock(const QString &id) const;
    template <class T>
    T *viewOf(const QString &id) const;

    WatchedApplication &m_application;
    app::MainWindow &m_window;
    double m_begun;
    Results &m_results;
    double m_held = 0; ///< MiB, when it was last noted
};

} // namespace kernscope::bench
