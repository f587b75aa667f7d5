// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch.h"

#include <QAbstractEventDispatcher>
#include <QDockWidget>
#include <QEvent>
#include <QMetaEnum>
#include <QThread>
#include <QWidget>

#include <algorithm>
#include <charconv>
#include <map>

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace kernscope::bench {

namespace {

constexpr double kLeastKept = 1; ///< milliseconds: shorter turns are not worth a line

double clockMilliseconds(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
}

/// Time that this thread has waited for a processor; 0 where the kernel does not tell.
double queueMilliseconds()
{
    static const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    char text[96];
    const ssize_t length = file < 0 ? 0 : ::pread(file, text, sizeof text, 0);
    if (length <= 0)
        return 0;
    const char *end = text + length;
    const char *second = std::find(static_cast<const char *>(text), end, ' ');
    std::uint64_t nanoseconds = 0;
    if (second != end)
        std::from_chars(second + 1, end, nanoseconds);
    return 1e-6 * double(nanoseconds);
}

/// "hex HexView Wheel": the dock that the receiver stands in, its class, the event.
QString causeOf(QObject *receiver, const QEvent &event)
{
    QString dock;
    for (const QObject *at = receiver; at; at = at->parent()) {
        if (qobject_cast<const QDockWidget *>(at)) {
            dock = at->objectName() + QLatin1Char(' ');
            break;
        }
    }
    const char *key = QMetaEnum::fromType<QEvent::Type>().valueToKey(event.type());
    QString name = QString::fromLatin1(receiver->metaObject()->className());
    name.remove("kernscope::"_L1);
    const QObject *above = receiver->parent();
    if (name == "QWidget"_L1 && above) // the viewport of a view
        name = QString::fromLatin1(above->metaObject()->className()).remove("kernscope::"_L1);
    return dock + name + QLatin1Char(' ') +
           (key ? QString::fromLatin1(key) : QString::number(event.type()));
}

} // namespace

Moment momentNow()
{
    return {clockMilliseconds(CLOCK_MONOTONIC), clockMilliseconds(CLOCK_THREAD_CPUTIME_ID),
            queueMilliseconds()};
}

Span between(const Moment &from, const Moment &to)
{
    return {to.wall - from.wall, to.cpu - from.cpu, to.queue - from.queue};
}

double monotonicNow()
{
    return clockMilliseconds(CLOCK_MONOTONIC);
}

WatchedApplication::WatchedApplication(int &argc, char **argv) : QApplication(argc, argv)
{
    const QAbstractEventDispatcher *loop = QAbstractEventDispatcher::instance();
    connect(loop, &QAbstractEventDispatcher::awake, this, &WatchedApplication::endTurn);
    connect(loop, &QAbstractEventDispatcher::aboutToBlock, this, &WatchedApplication::endTurn);
}

bool WatchedApplication::notify(QObject *receiver, QEvent *event)
{
    if (event->type() == QEvent::Paint)
        m_paints = true;
    // What an ignored timer starts is still counted: it only posts. While the window is made no
    // loop runs, and reading the clocks for each of its thousands of events took a third of that
    // time.
    if (m_depth > 0 || m_ignored.contains(receiver) || thread()->loopLevel() == 0)
        return QApplication::notify(receiver, event);
    const QString cause = causeOf(receiver, *event); // the receiver may be gone afterwards
    ++m_depth;
    m_paints = false;
    const Moment before = momentNow();
    const bool done = QApplication::notify(receiver, event);
    const Span span = between(before, momentNow());
    --m_depth;
    m_inTurn = true;
    m_turn.span += span;
    if (span.own() >= m_turn.worst.own()) {
        m_turn.worst = span;
        m_turn.cause = cause;
    }
    m_turn.painted |= m_paints;
    m_sinceFrame += span;
    m_busy += span;
    m_lastEvent = monotonicNow();
    if (m_paints) {
        m_frames.push_back(m_sinceFrame);
        m_sinceFrame = {};
        Q_EMIT framePainted();
    }
    return done;
}

void WatchedApplication::endTurn()
{
    if (!m_inTurn || m_depth > 0)
        return;
    m_turn.step = m_step;
    if (m_turn.span.wall >= kLeastKept)
        m_turns.push_back(m_turn);
    m_turn = {};
    m_inTurn = false;
}

std::vector<Turn> WatchedApplication::longest(std::size_t ofStep) const
{
    std::vector<Turn> sorted = m_turns;
    std::ranges::stable_sort(
        sorted, [](const Turn &a, const Turn &b) { return a.span.own() > b.span.own(); });
    std::map<QString, std::size_t> seen;
    std::erase_if(sorted, [&](const Turn &turn) { return ++seen[turn.step] > ofStep; });
    return sorted;
}

} // namespace kernscope::bench
