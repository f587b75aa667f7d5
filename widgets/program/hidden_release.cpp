// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/hidden_release.h"

#include "widgets/common/dock.h"

#include <utility>

namespace kernscope::ui {

HiddenRelease::HiddenRelease(Dock &dock, std::function<void()> release)
    : QObject(&dock), m_dock(dock)
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

void HiddenRelease::check()
{
    if (!m_dock.onView())
        m_wait.start();
}

} // namespace kernscope::ui
