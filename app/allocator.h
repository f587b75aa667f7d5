// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace kernscope::ui {
class TaskManager;
}

namespace kernscope::app {

/// How memory comes and goes: large blocks are given back to the system as they are freed, and
/// threads share few heaps. To be called before any thread is made; nothing on systems without
/// glibc.
void configureAllocator();

/// Gives the memory that tasks have left in the heaps back to the system, a moment after the last
/// one has ended, on a thread of its own.
class HeapTrimmer final : public QObject
{
    Q_OBJECT

public:
    explicit HeapTrimmer(ui::TaskManager &tasks, QObject *parent = nullptr);
};

} // namespace kernscope::app
