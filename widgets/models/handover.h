// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QThreadPool>

#include <atomic>
#include <functional>

#ifdef __SANITIZE_THREAD__
extern "C" void AnnotateIgnoreWritesBegin(const char *file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char *file, int line);
#endif

namespace kernscope::ui {

/// Qt's queues order what is done before work is queued and what the work sees, but ThreadSanitizer
/// does not see into a Qt that was built without it: who queues work says handOver() before, the
/// work takeOver() first. Without ThreadSanitizer neither does anything.
#ifdef __SANITIZE_THREAD__
inline std::atomic<unsigned> handedOver{0};
inline void handOver()
{
    handedOver.fetch_add(1, std::memory_order_release);
}
inline void takeOver()
{
    (void)handedOver.load(std::memory_order_acquire);
}
#else
inline void handOver() {}
inline void takeOver() {}
#endif

/// Work on a pool, and what waits until all of a pool is done: both see what was done before.
inline void startOn(QThreadPool &pool, std::function<void()> work)
{
    std::function<void()> run = [work = std::move(work)] {
        takeOver();
        work();
        handOver();
    };
    handOver();
    pool.start(std::move(run));
}
inline void waitFor(QThreadPool &pool)
{
    pool.waitForDone();
    takeOver();
}

/// Queues `work` for the thread of `target`, which sees what was done before.
template <class Target, class Work>
void post(Target *target, Work work)
{
    handOver();
#ifdef __SANITIZE_THREAD__
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__); // what Qt keeps the work in
#endif
    QMetaObject::invokeMethod(
        target,
        [work = std::move(work)] {
            takeOver();
            work();
        },
        Qt::QueuedConnection);
#ifdef __SANITIZE_THREAD__
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
#endif
}

} // namespace kernscope::ui
