// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"

#include <QList>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>

namespace kernscope::ui {

class HiddenRelease;

/// Those of a session's docks that are out of view and hold something. One a session.
class HiddenReleases final : public QObject
{
    Q_OBJECT

public:
    static HiddenReleases &of(Session &session);

    /// Went out of view: where there are more than HiddenRelease::kMostHidden, that which went
    /// first gives back what it holds.
    void add(HiddenRelease &hidden);
    void remove(HiddenRelease &shown) { m_hidden.removeAll(&shown); }

private:
    explicit HiddenReleases(Session &session);

    QList<QPointer<HiddenRelease>> m_hidden; ///< the one that went first in front
};

/// Lets a dock give back what it holds of a large bundle, some time after it went out of view, or
/// as soon as a few others have gone out of view since.
class HiddenRelease final : public QObject
{
    Q_OBJECT

public:
    /// People go back and forth between a few docks: so many keep what they hold for a while.
    static constexpr int kMostHidden = 2;

    /// `release` is called while the dock is out of view, and may be called again.
    HiddenRelease(Dock &dock, Session &session, std::function<void()> release);

    /// For what came to the dock just now, which may be out of view already.
    void check();
    void setDelay(int milliseconds) { m_delay = milliseconds; }
    void hurry() { m_wait.start(0); } ///< no longer than until the next turn of the event loop

private:
    static constexpr int kDelayMilliseconds = 10'000;

    void wait();

    Dock &m_dock;
    QPointer<HiddenReleases> m_all;
    int m_delay = kDelayMilliseconds;
    bool m_hidden = false; ///< went out of view and did not come back
    QTimer m_wait;
};

} // namespace kernscope::ui
