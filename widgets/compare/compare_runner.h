// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "widgets/models/compare_model.h"
#include "widgets/models/task_manager.h"

#include <QList>
#include <QTimer>

class QAction;

namespace kernscope::ui {

/// What an action of the comparison's docks is for: the part of the Compare menu that it stands in.
enum class CompareTask : std::uint8_t { Pairing, GoTo, Copy, Limits, View, Export, Builds };
inline constexpr std::array kCompareTasks{
    CompareTask::Pairing, CompareTask::GoTo,   CompareTask::Copy,  CompareTask::Limits,
    CompareTask::View,    CompareTask::Export, CompareTask::Builds};

void setCompareTask(const QList<QAction *> &actions, CompareTask task);
/// View where nothing was said.
CompareTask compareTask(const QAction &action);

/// Whether both are one file with the same weights in the same order, whatever their values: rows
/// of `before` then name the weights of `now`, and may stay on view while new ones are made.
bool sameTables(const BundlePtr &before, const BundlePtr &now);

struct ComparisonInbox;
struct ComparisonMemory;

/// Fills a CompareModel from two bundles off the GUI thread, in stages: the rows, what the files
/// say (program, stored bytes), then the values of one pair after the other. After an edit only the
/// pairs that it touched are read again.
class CompareRunner : public QObject
{
    Q_OBJECT

public:
    CompareRunner(TaskManager &tasks, CompareModel &model, QObject *parent = nullptr);
    ~CompareRunner() override;

    /// Compares B against A, with pairs by hand; either null: empties the model.
    void start(BundlePtr a, BundlePtr b, std::vector<PairChoice> chosen = {});
    bool running() const { return m_task != nullptr; }
    /// True where a person cancelled before every row was filled.
    bool stopped() const { return m_stopped; }
    /// 0 to 1 of the values.
    double fraction() const;
    /// What the files say, without values; null until known.
    const std::shared_ptr<const Difference> &files() const { return m_files; }
    /// The overall result; null until every value was compared.
    const ComparisonOutcomePtr &outcome() const { return m_outcome; }

Q_SIGNALS:
    void rowsReady();     ///< the model has all its rows
    void filesCompared(); ///< files() is there
    void pairCompared(std::size_t row);
    void pairsTold(); ///< after some of them: the order of the rows may be another one now
    void progressed();
    void summedUp(); ///< outcome() is there
    void finished(); ///< everything is there, or the task was cancelled; update the order of the
                     ///< model now

private:
    void drain();
    void salvage();
    void finish(bool complete);

    TaskManager &m_tasks;
    CompareModel &m_model;
    QTimer m_poll;
    TaskPtr m_task;
    std::shared_ptr<ComparisonInbox> m_inbox;
    std::shared_ptr<const ComparisonMemory> m_now; ///< of the run that is under way
    /// Of the last run: what need not be read again.
    std::shared_ptr<const ComparisonMemory> m_memory;
    std::shared_ptr<const Difference> m_files;
    ComparisonOutcomePtr m_outcome;
    bool m_rowsReady = false, m_stopped = false;
};

} // namespace kernscope::ui
