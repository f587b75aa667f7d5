// SPDX-License-Identifier: GPL-3.0-or-later
// What the script presses and turns, and how it waits for the window.
#include "app/dock_set.h"
#include "script.h"

#include <QAbstractScrollArea>
#include <QEventLoop>
#include <QKeyEvent>
#include <QThreadPool>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace kernscope::bench {

namespace {

constexpr double kQuiet = 12;      ///< milliseconds without an event: what was asked is done
constexpr double kMostFrame = 400; ///< tasks may go on and on
constexpr int kRest = 1000; ///< milliseconds; the heap is trimmed some time after the last task
constexpr double kMostSettle = 30'000; ///< then the task is cancelled, which is noted

} // namespace

void Script::begin(const QString &step)
{
    m_application.setStep(step);
    m_application.clearFrames();
    m_application.clearBusy();
}

void Script::waitQuiet()
{
    QEventLoop loop;
    QTimer poll;
    m_application.ignore(&poll);
    const double from = monotonicNow();
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        const double now = monotonicNow();
        if (now - std::max(m_application.lastEvent(), from) > kQuiet || now - from > kMostFrame)
            loop.quit();
    });
    poll.start(3);
    loop.exec();
}

bool Script::settle()
{
    waitQuiet();
    QEventLoop loop;
    QTimer poll;
    m_application.ignore(&poll);
    const double from = monotonicNow();
    bool settled = false;
    const auto idle = [this] {
        if (m_window.document().busy() != app::Document::Busy::Idle ||
            !m_window.session().tasks().idle())
            return false;
        for (const auto &entry : m_window.docks().entries()) {
            if (entry.dock->isVisible() && entry.dock->busy())
                return false;
        }
        return true;
    };
    QObject::connect(&poll, &QTimer::timeout, &loop, [&] {
        settled = idle() && monotonicNow() - m_application.lastEvent() > kQuiet;
        if (settled || monotonicNow() - from > kMostSettle)
            loop.quit();
    });
    poll.start(5);
    loop.exec();
    if (!settled) {
        m_results.addNote(
            u"cancelled after %1 s in \"%2\": %3"_s.arg(kMostSettle / 1000)
                .arg(m_application.step(), m_window.session().tasks().currentTitle()));
        m_window.session().tasks().cancelAll();
        waitQuiet();
    }
    return settled;
}

void Script::rest()
{
    QEventLoop loop;
    QTimer timer;
    m_application.ignore(&timer);
    const double from = monotonicNow();
    QObject::connect(&timer, &QTimer::timeout, &loop, [&loop, from] {
        // It is trimmed by a thread of the pool, for which a busy machine takes its time.
        if (QThreadPool::globalInstance()->activeThreadCount() == 0 ||
            monotonicNow() - from > kMostSettle)
            loop.quit();
    });
    timer.start(kRest);
    loop.exec();
}

void Script::act(const std::function<void()> &action)
{
    // An object of its own: what it does is counted.
    QObject actor;
    QMetaObject::invokeMethod(&actor, action, Qt::QueuedConnection);
    waitQuiet();
}

void Script::send(QObject *receiver, QEvent *event)
{
    QCoreApplication::postEvent(receiver, event);
    waitQuiet();
}

void Script::key(QWidget *view, int key, Qt::KeyboardModifiers modifiers, const QString &text)
{
    send(view, new QKeyEvent(QEvent::KeyPress, key, modifiers, text));
}

void Script::wheel(QAbstractScrollArea *view, int turn, Qt::KeyboardModifiers modifiers)
{
    const QPointF at = QRectF(view->viewport()->rect()).center();
    send(view->viewport(),
         new QWheelEvent(at, view->viewport()->mapToGlobal(at), {}, QPoint(0, turn), Qt::NoButton,
                         modifiers, Qt::NoScrollPhase, false));
}

void Script::addFrames(const Measure &measure)
{
    for (const Span &frame : m_application.frames())
        m_results.add(measure, frame);
    m_application.clearFrames();
}

void Script::addKey(const Measure &measure)
{
    m_results.add(measure, m_application.busy());
    m_application.clearBusy();
}

ui::Dock *Script::dock(const QString &id) const
{
    return m_window.docks().dock(id);
}

} // namespace kernscope::bench
