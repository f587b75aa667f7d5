// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

#include <deque>
#include <functional>

class QTimer;

namespace kernscope::ui {

class Session;

/// Fills docks one after the other, so that keys and frames come in between: another workspace, or
/// another bundle, leaves many of them stale at once. One a session; of the GUI thread.
class RefreshQueue final : public QObject
{
    Q_OBJECT

public:
    static RefreshQueue &of(Session &session);

    /// Runs `work` in one of the next turns of the event loop, in the order of the calls, unless
    /// `who` is gone by then. Several short ones may share a turn.
    void add(QObject *who, std::function<void()> work);

private:
    explicit RefreshQueue(QObject *parent);
    void runSome();

    struct Entry {
        QPointer<QObject> who;
        std::function<void()> work;
    };
    std::deque<Entry> m_waiting;
    QTimer *m_timer = nullptr;
};

} // namespace kernscope::ui
