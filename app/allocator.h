// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace kernscope::ui {
class Session;
}

namespace kernscope::app {

/// How memory comes and goes: large blocks are given back to the system as they are freed, and
/// threads share few heaps. To be called before any thread is made; nothing on systems without
/// glibc.
void configureAllocator();

/// A moment after the last task has ended: sets the programs of the bundles aside
/// (Bundle::setProgramAside), and gives the memory that is free in the heaps back to the system. On
/// a thread of its own.
class HeapTrimmer final : public QObject
{
    Q_OBJECT

public:
    explicit HeapTrimmer(ui::Session &session, QObject *parent = nullptr);
};

} // namespace kernscope::app
