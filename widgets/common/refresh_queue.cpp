// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/refresh_queue.h"

#include "widgets/common/session.h"

#include <QElapsedTimer>
#include <QTimer>

#include <utility>

namespace kernscope::ui {

namespace {

constexpr qint64 kTurnMilliseconds = 8; ///< half a frame: after that the rest waits its turn

} // namespace

RefreshQueue &RefreshQueue::of(Session &session)
{
    if (auto *queue = session.findChild<RefreshQueue *>(QString(), Qt::FindDirectChildrenOnly))
        return *queue;
    return *new RefreshQueue(&session);
}

RefreshQueue::RefreshQueue(QObject *parent) : QObject(parent), m_timer(new QTimer(this))
{
    m_timer->setInterval(0);
    connect(m_timer, &QTimer::timeout, this, &RefreshQueue::runSome);
}

void RefreshQueue::add(QObject *who, std::function<void()> work)
{
    m_waiting.push_back({who, std::move(work)});
    m_timer->start();
}

void RefreshQueue::runSome()
{
    QElapsedTimer turn;
    turn.start();
    while (!m_waiting.empty() && turn.elapsed() < kTurnMilliseconds) {
        const Entry entry = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (entry.who)
            entry.work();
    }
    if (m_waiting.empty())
        m_timer->stop();
}

} // namespace kernscope::ui

#include "moc_refresh_queue.cpp"
