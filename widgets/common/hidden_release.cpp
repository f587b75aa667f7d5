// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/hidden_release.h"

#include <utility>

namespace kernscope::ui {

HiddenReleases::HiddenReleases(Session &session) : QObject(&session) {}

HiddenReleases &HiddenReleases::of(Session &session)
{
    if (auto *all = session.findChild<HiddenReleases *>(QString(), Qt::FindDirectChildrenOnly))
        return *all;
    return *new HiddenReleases(session);
}

void HiddenReleases::add(HiddenRelease &hidden)
{
    m_hidden.removeAll(&hidden);
    m_hidden.removeAll(nullptr); // docks that are gone
    m_hidden.append(&hidden);
    while (m_hidden.size() > HiddenRelease::kMostHidden)
        m_hidden.takeFirst()->hurry();
}

HiddenRelease::HiddenRelease(Dock &dock, Session &session, std::function<void()> release)
    : QObject(&dock), m_dock(dock), m_all(&HiddenReleases::of(session))
{
    m_wait.setSingleShot(true);
    // Also told where the tab of another dock was chosen: such a dock is moved, not hidden.
    connect(&dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (!visible) { // told again whenever another tab beside it is chosen
            if (!std::exchange(m_hidden, true))
                wait();
            return;
        }
        m_hidden = false;
        m_wait.stop();
        if (m_all)
            m_all->remove(*this);
    });
    connect(&m_wait, &QTimer::timeout, this, [this, release = std::move(release)] {
        if (m_all)
            m_all->remove(*this);
        if (!m_dock.onView())
            release();
    });
}

void HiddenRelease::wait()
{
    m_wait.start(m_delay);
    if (m_all)
        m_all->add(*this);
}

void HiddenRelease::check()
{
    if (!m_dock.onView())
        wait();
}

} // namespace kernscope::ui

#include "moc_hidden_release.cpp"
