// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/task_manager.h"

#include "widgets/models/handover.h"
#include "widgets/models/session.h"

#include <QThread>
#include <QTimer>

#include <algorithm>
#include <exception>

namespace kernscope::ui {

TaskManager::TaskManager(QObject *parent) : QObject(parent), m_pool(new QThreadPool(this))
{
    m_pool->setMaxThreadCount(std::max(2, QThread::idealThreadCount()));
}

TaskManager::~TaskManager()
{
    quiesce();
    waitFor(*m_pool);
}

void TaskManager::launch(const TaskPtr &task, std::function<void()> body)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(task);
        ++m_working;
    }
    Q_EMIT changed();
    startOn(*m_pool, [this, task, body = std::move(body)]() {
        QString fault;
        try {
            body();
        } catch (const std::exception &failure) {
            fault = QString::fromUtf8(failure.what());
        } catch (...) {
            fault = tr("an unknown exception");
        }
        // Memory that ran out, most of all: of this task nothing comes, the window goes on.
        if (!fault.isEmpty())
            post(this, [this, task, fault] {
                task->fail(fault);
                finish(task);
                if (auto *session = qobject_cast<Session *>(parent()))
                    Q_EMIT session->statusMessage(
                        tr("Not done: %1 (%2).").arg(task->title(), fault));
            });
        const std::lock_guard lock(m_mutex);
        --m_working;
        m_workersLeft.notify_all();
    });
}

void TaskManager::dropUnless(const std::function<bool()> &holds, const TaskPtr &task)
{
    if (!holds || task->progress().cancelled() || holds())
        return;
    task->cancel();
    post(this, [this] { Q_EMIT resultDropped(); });
}

void TaskManager::deliver(const TaskPtr &task, std::function<void()> done)
{
    post(this, [this, task, done = std::move(done)] {
        finish(task);
        done();
    });
}

void TaskManager::finish(const TaskPtr &task)
{
    bool nowIdle = false;
    {
        const std::lock_guard lock(m_mutex);
        std::erase(m_tasks, task);
        nowIdle = m_tasks.empty();
    }
    Q_EMIT changed();
    if (nowIdle)
        Q_EMIT becameIdle();
}

void TaskManager::cancelAll()
{
    const std::lock_guard lock(m_mutex);
    for (const TaskPtr &task : m_tasks)
        task->cancel();
}

void TaskManager::quiesce()
{
    cancelAll();
    std::unique_lock lock(m_mutex);
    m_workersLeft.wait(lock, [this] { return m_working == 0; });
}

bool TaskManager::idle() const
{
    const std::lock_guard lock(m_mutex);
    return m_tasks.empty();
}

QString TaskManager::currentTitle() const
{
    const std::lock_guard lock(m_mutex);
    return m_tasks.empty() ? QString() : m_tasks.front()->title();
}

double TaskManager::currentFraction() const
{
    const std::lock_guard lock(m_mutex);
    return m_tasks.empty() ? 0.0 : m_tasks.front()->progress().fraction();
}

std::size_t TaskManager::running() const
{
    const std::lock_guard lock(m_mutex);
    return m_tasks.size();
}

Job::Job(TaskManager &tasks, QObject *parent) : QObject(parent), m_tasks(tasks)
{
    connect(&tasks, &TaskManager::changed, this, &Job::noticeCancel);
}

void Job::stop()
{
    if (const TaskPtr before = std::exchange(m_task, nullptr))
        before->cancel();
}

void Job::noticeCancel()
{
    if (!cancelled())
        return;
    QTimer::singleShot(0, this, [this, task = m_task] {
        if (m_task != task)
            return;
        m_task = nullptr;
        m_fault = task->fault();
        if (m_told)
            m_told();
    });
}

QString Job::endText() const
{
    return m_fault.isEmpty() ? tr("cancelled") : tr("not done: %1").arg(m_fault);
}

} // namespace kernscope::ui

#include "moc_task_manager.cpp"
