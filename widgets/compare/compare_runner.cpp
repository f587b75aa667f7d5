// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_runner.h"

#include "core/bundle/bundle.h"
#include "core/report/audit_report.h"

#include <QAction>

namespace kernscope::ui {

namespace {

constexpr const char *kTaskProperty = "kernscope_compare_task";

} // namespace

void setCompareTask(const QList<QAction *> &actions, CompareTask task)
{
    for (QAction *action : actions)
        action->setProperty(kTaskProperty, static_cast<int>(task));
}

CompareTask compareTask(const QAction &action)
{
    const QVariant task = action.property(kTaskProperty);
    return task.isValid() ? static_cast<CompareTask>(task.toInt()) : CompareTask::View;
}

bool sameTables(const BundlePtr &before, const BundlePtr &now)
{
    if (!before || !now)
        return false;
    if (before == now)
        return true;
    return before->path() == now->path() &&
           std::ranges::equal(before->weights(), now->weights(),
                              [](const Weight &x, const Weight &y) { return x.name == y.name; });
}

/// What the worker has found since the GUI thread last looked.
struct ComparisonInbox {
    std::mutex mutex;
    std::optional<std::vector<report::PairRow>> rows;
    std::shared_ptr<const Difference> files;
    ComparisonOutcomePtr outcome;
    struct Finding {
        std::size_t row = 0;
        report::PairRow found;
    };
    std::vector<Finding> pairs;
};

/// What one run found out, with the fingerprints that it holds for. The bundles are kept so that
/// the addresses in the fingerprints are not used again.
struct ComparisonMemory {
    using PairKey = std::pair<std::size_t, std::size_t>;

    BundlePtr a, b;
    std::vector<PairChoice> chosen; ///< pairs by hand
    std::vector<std::uint64_t> printsA, printsB;
    std::map<PairKey, ValueDifference> values;

    /// Values of a pair whose stored bytes are the same `now`; null where they may not be.
    const ValueDifference *find(const ComparisonMemory &now, PairKey key) const;
};

/// Compares `now->b` against `now->a` in stages, handing each to the inbox: the rows, what the
/// files say, the values of one pair after the other, and the overall result. Values that
/// `before` still holds for are not read again. Runs on a worker; progress in elements.
void runComparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox,
                   Progress &progress);

const ValueDifference *ComparisonMemory::find(const ComparisonMemory &now, PairKey key) const
{
    const auto at = values.find(key);
    const auto [wa, wb] = key;
    const bool same = at != values.end() && wa < printsA.size() && wb < printsB.size() &&
                      wa < now.printsA.size() && wb < now.printsB.size() &&
                      printsA[wa] == now.printsA[wa] && printsB[wb] == now.printsB[wb];
    return same ? &at->second : nullptr;
}

void runComparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox,
                   Progress &progress)
{
    const Bundle &a = *now.a, &b = *now.b;
    ComparisonSteps steps;
    steps.paired = [&](PairedWeights &paired) {
        {
            const BundleReadLock lock(a, b);
            now.printsA = weightFingerprints(a);
            now.printsB = weightFingerprints(b);
        }
        for (ComparedPair &pair : paired.pairs) {
            if (const auto *known = before ? before->find(now, {pair.a, pair.b}) : nullptr)
                pair.values = std::make_shared<const ValueDifference>(*known);
        }
        auto rows = report::pairRows(a, b, paired.pairs, paired.onlyA, paired.onlyB);
        const std::lock_guard guard(inbox.mutex);
        inbox.rows = std::move(rows);
    };
    steps.described = [&](const Difference &difference) {
        auto files = std::make_shared<const Difference>(difference);
        const std::lock_guard guard(inbox.mutex);
        inbox.files = std::move(files);
    };
    steps.compared = [&](std::size_t row, const ComparedPair &pair) {
        if (pair.values)
            now.values[{pair.a, pair.b}] = *pair.values;
        auto found = report::pairRow(a, b, pair);
        const std::lock_guard guard(inbox.mutex);
        inbox.pairs.push_back({row, std::move(found)});
    };
    auto whole = compareBundles(a, b, {.values = true, .bytes = false, .pairs = now.chosen},
                                &progress, steps);
    if (!whole)
        return;
    auto outcome = std::make_shared<ComparisonOutcome>(now.a, now.b, *std::move(whole));
    if (isCheckpoint(a) != isCheckpoint(b)) {
        const BundlePtr &package = isCheckpoint(a) ? now.b : now.a;
        const BundlePtr &checkpoint = isCheckpoint(a) ? now.a : now.b;
        auto audited = audit::auditPackage(package, checkpoint, {}, &progress);
        if (audited) {
            report::AuditSubject subject{package->name(),
                                         checkpoint->name(),
                                         *std::move(audited),
                                         report::knownFaultLines(*package),
                                         {},
                                         {}};
            outcome->audit = report::auditSentence(subject);
            outcome->sound = subject.holds();
        }
    }
    const std::lock_guard guard(inbox.mutex);
    inbox.outcome = std::move(outcome);
}

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
