// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

class QThreadPool;

namespace kernscope::ui {

/// One piece of work off the GUI thread. Cancelling it also drops its result.
class BackgroundTask
{
public:
    explicit BackgroundTask(QString title) : m_title(std::move(title)) {}
    const QString &title() const { return m_title; }
    Progress &progress() { return m_progress; }
    void cancel() { m_progress.cancel(); }
    /// What ended it where that was an exception, such as memory that ran out: it counts as
    /// cancelled, and would end the same way again. Of the GUI thread.
    const QString &fault() const { return m_fault; }
    void fail(const QString &fault)
    {
        m_fault = fault;
        cancel();
    }

private:
    QString m_title, m_fault;
    Progress m_progress;
};
using TaskPtr = std::shared_ptr<BackgroundTask>;

/// Runs work on a thread pool, delivers results on the GUI thread, and tells the status bar what
/// is running. Work captures its input by value, calls `progress.advance` often and returns early
/// once that says false.
class TaskManager : public QObject
{
    Q_OBJECT

public:
    explicit TaskManager(QObject *parent = nullptr);
    ~TaskManager() override;

    /// Runs `work(Progress &)` on another thread, then `done(result)` on the GUI thread, unless
    /// the task was cancelled or `context` is gone by then, or what it read was changed meanwhile.
    template <class Work, class Done>
    TaskPtr start(QObject *context, const QString &title, Work work, Done done)
    {
        auto task = std::make_shared<BackgroundTask>(title);
        QPointer<QObject> guard(context);
        launch(task, [this, task, guard, holds = m_holds, work = std::move(work),
                      done = std::move(done)]() mutable {
            using T = decltype(work(task->progress()));
            auto result = std::make_shared<T>(work(task->progress()));
            dropUnless(holds, task);
            deliver(task, [guard, task, result, done = std::move(done)]() mutable {
                if (guard && !task->progress().cancelled())
                    done(std::move(*result));
            });
        });
        return task;
    }

    /// What is asked, on the worker's thread, once work that starts from now on has ended: false
    /// drops its result (as if cancelled) and emits resultDropped().
    void setResultsHold(std::function<bool()> holds) { m_holds = std::move(holds); }

    /// Cancels everything and waits until no worker reads a bundle any more. Called before an edit
    /// is laid over the files, which then need not wait for a lock.
    void quiesce();
    void cancelAll();
    bool idle() const;

    /// Title and fraction (0 to 1) of the oldest running task; empty where idle.
    QString currentTitle() const;
    double currentFraction() const;
    std::size_t running() const;

Q_SIGNALS:
    void changed(); ///< a task began or ended
    void becameIdle();
    void resultDropped(); ///< the files that a task read were changed meanwhile

private:
    void launch(const TaskPtr &task, std::function<void()> body);
    void dropUnless(const std::function<bool()> &holds, const TaskPtr &task);
    void deliver(const TaskPtr &task, std::function<void()> done);
    void finish(const TaskPtr &task);

    QThreadPool *m_pool = nullptr;
    mutable std::mutex m_mutex;
    std::condition_variable m_workersLeft;
    std::vector<TaskPtr> m_tasks;
    std::size_t m_working = 0;
    std::function<bool()> m_holds;
};

/// What an object has done off the GUI thread, one piece of work at a time: beginning another, or
/// the end of the object, cancels the one before and drops its result.
class Job final : public QObject
{
public:
    explicit Job(TaskManager &tasks, QObject *parent = nullptr);
    ~Job() override { stop(); }

    /// As TaskManager::start(). In `done` the job is not running() any more.
    template <class Work, class Done>
    void start(const QString &title, Work work, Done done)
    {
        stop();
        m_task = m_tasks.start(this, title, std::move(work),
                               [this, done = std::move(done)](auto result) mutable {
                                   m_task = nullptr;
                                   done(std::move(result));
                               });
    }
    void stop();
    bool running() const { return m_task && !cancelled(); }
    /// An edit, or a person, cancelled it in this turn of the event loop.
    bool cancelled() const { return m_task && m_task->progress().cancelled(); }
    double fraction() const { return m_task ? m_task->progress().fraction() : 1.0; } ///< 0 to 1
    /// Called where a person cancelled the work, or it ended by an exception. An edit cancels all
    /// work as well: who begins it anew by the next turn of the event loop hears nothing.
    void whenCancelled(std::function<void()> told) { m_told = std::move(told); }
    /// In whenCancelled(): "cancelled", or what ended the work.
    QString endText() const;

private:
    void noticeCancel();

    TaskManager &m_tasks;
    TaskPtr m_task;
    QString m_fault;
    std::function<void()> m_told;
};

} // namespace kernscope::ui
