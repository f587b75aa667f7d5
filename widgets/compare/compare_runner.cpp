// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_runner.h"

#include "widgets/common/table_text.h"

#include "widgets/compare/comparison_job.h"

#include <utility>

namespace kernscope::ui {

namespace {

constexpr int kPollMilliseconds = 50;

} // namespace

CompareRunner::CompareRunner(TaskManager &tasks, CompareModel &model, QObject *parent)
    : QObject(parent), m_tasks(tasks), m_model(model)
{
    m_poll.setInterval(kPollMilliseconds);
    connect(&m_poll, &QTimer::timeout, this, [this] {
        drain();
        if (m_task && m_task->progress().cancelled())
            finish(false);
        else
            Q_EMIT progressed();
    });
}

CompareRunner::~CompareRunner()
{
    if (m_task)
        m_task->cancel();
}

double CompareRunner::fraction() const
{
    return m_task ? m_task->progress().fraction() : 1.0;
}

void CompareRunner::start(BundlePtr a, BundlePtr b, std::vector<PairChoice> chosen)
{
    if (m_task) {
        m_task->cancel();
        salvage();
    }
    m_task = nullptr;
    m_stopped = false;
    m_files = nullptr;
    m_outcome = nullptr;
    m_poll.stop();
    if (!a || !b) {
        m_memory = nullptr;
        m_model.setRows({});
        return;
    }
    m_inbox = std::make_shared<ComparisonInbox>();
    auto now = std::make_shared<ComparisonMemory>();
    now->a = std::move(a);
    now->b = std::move(b);
    now->chosen = std::move(chosen);
    m_now = now;
    m_rowsReady = false;
    m_task = m_tasks.start(
        this, tr("Comparing weights"),
        [now, before = m_memory, inbox = m_inbox](Progress &progress) {
            runComparison(*now, before.get(), *inbox, progress);
            return std::shared_ptr<const ComparisonMemory>(now);
        },
        [this](std::shared_ptr<const ComparisonMemory> memory) {
            drain();
            m_memory = std::move(memory);
            finish(true);
        });
    m_poll.start();
}

void CompareRunner::drain()
{
    std::optional<std::vector<report::PairRow>> rows;
    std::shared_ptr<const Difference> files;
    ComparisonOutcomePtr outcome;
    std::vector<ComparisonInbox::Finding> pairs;
    {
        const std::lock_guard guard(m_inbox->mutex);
        rows.swap(m_inbox->rows);
        files.swap(m_inbox->files);
        outcome.swap(m_inbox->outcome);
        pairs.swap(m_inbox->pairs);
    }
    if (rows) {
        m_model.setRows(*std::move(rows));
        m_rowsReady = true;
        Q_EMIT rowsReady();
    }
    if (files) {
        m_files = std::move(files);
        Q_EMIT filesCompared();
    }
    for (auto &[row, found] : pairs) {
        m_model.setPair(row, std::move(found));
        Q_EMIT pairCompared(row);
    }
    if (!pairs.empty())
        Q_EMIT pairsTold();
    if (outcome) {
        m_outcome = std::move(outcome);
        Q_EMIT summedUp();
    }
}

/// Keeps what a cancelled run had found. Its worker may still be busy with the values, but no
/// longer with the fingerprints, which came before the rows.
void CompareRunner::salvage()
{
    if (!m_rowsReady)
        return;
    auto kept = std::make_shared<ComparisonMemory>();
    kept->a = m_now->a;
    kept->b = m_now->b;
    kept->printsA = m_now->printsA;
    kept->printsB = m_now->printsB;
    for (const report::PairRow &row : m_model.rows()) {
        if (row.pair.values)
            kept->values[{row.pair.a, row.pair.b}] = *row.pair.values;
    }
    m_memory = std::move(kept);
}

void CompareRunner::finish(bool complete)
{
    m_poll.stop();
    m_task = nullptr;
    m_stopped = !complete;
    if (m_stopped) {
        salvage();
        m_model.setStopped(true);
    }
    Q_EMIT finished();
}

} // namespace kernscope::ui

#include "moc_compare_runner.cpp"
