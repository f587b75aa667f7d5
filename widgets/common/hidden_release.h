// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <utility>

namespace kernscope::ui {

/// Lets a dock give back what it holds of a large bundle, some time after it went out of view.
class HiddenRelease final : public QObject
{
public:
    /// `release` is called while the dock is out of view, and may be called again.
    HiddenRelease(Dock &dock, std::function<void()> release) : QObject(&dock), m_dock(dock)
    {
        m_wait.setSingleShot(true);
        m_wait.setInterval(kDelayMilliseconds);
        // Also told where the tab of another dock was chosen: such a dock is moved, not hidden.
        connect(&dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
            if (visible)
                m_wait.stop();
            else
                m_wait.start();
        });
        connect(&m_wait, &QTimer::timeout, this, [this, release = std::move(release)] {
            if (!m_dock.onView())
                release();
        });
    }

    /// For what came to the dock just now, which may be out of view already.
    void check()
    {
        if (!m_dock.onView())
            m_wait.start();
    }
    void setDelay(int milliseconds) { m_wait.setInterval(milliseconds); }

private:
    static constexpr int kDelayMilliseconds = 10'000; ///< people go back and forth

    Dock &m_dock;
    QTimer m_wait;
};

} // namespace kernscope::ui
