// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/allocator.h"

#include "core/bundle/bundle.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QThreadPool>
#include <QTimer>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kernscope::app {

namespace {

constexpr int kTrimAfterMilliseconds = 300; ///< another task may begin at once

void trimHeaps()
{
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace

void configureAllocator()
{
#ifdef __GLIBC__
    // Left alone, both thresholds rise to 32 MiB and more with the first large block that is freed:
    // from then on the tables of a bundle lie among small blocks and stay when they are freed.
    constexpr int kMapped = 256 << 10, kTop = 4 << 20, kHeaps = 3;
    ::mallopt(M_MMAP_THRESHOLD, kMapped);
    ::mallopt(M_TRIM_THRESHOLD, kTop);
    ::mallopt(M_ARENA_MAX, kHeaps);
    // Small blocks that are freed join their neighbours at once, not all of them together when some
    // large block is asked for: reading a program goes from one to the other all the time.
    ::mallopt(M_MXFAST, 0);
#endif
}

HeapTrimmer::HeapTrimmer(ui::Session &session, QObject *parent) : QObject(parent)
{
    auto *wait = new QTimer(this);
    wait->setSingleShot(true);
    wait->setInterval(kTrimAfterMilliseconds);
    connect(&session.tasks(), &ui::TaskManager::becameIdle, wait, qOverload<>(&QTimer::start));
    connect(wait, &QTimer::timeout, this, [&session] {
        QThreadPool::globalInstance()->start([bundle = session.bundle(), other = session.other()] {
            for (const BundlePtr &each : {bundle, other}) {
                if (each)
                    each->setProgramAside();
            }
            trimHeaps();
        });
    });
}

} // namespace kernscope::app

#include "moc_allocator.cpp"
