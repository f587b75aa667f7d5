// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/worst_places.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/models/task_manager.h"

#include <functional>

#include <QObject>

namespace kernscope::ui {

/// What pictures and figures of a pair need: a sample, whose range the colours of all three
/// pictures share, then all values once for the places that differ.
class ShownPair : public QObject
{
    Q_OBJECT

public:
    ShownPair(TaskManager &tasks, QObject *parent = nullptr);

    /// Looks at a pair that can be compared, in place of the one before.
    void look(const PairSubject &subject);
    void cancel();
    bool working() const;

Q_SIGNALS:
    /// In turn, unless something else is looked at; each may have an error instead
    /// (referred to, as Qt compares what signals carry, and errors do not compare).
    void sampled(const kernscope::ui::PairSubject &subject,
                 std::reference_wrapper<const kernscope::Result<kernscope::PairSample>> sample);
    void found(const kernscope::ui::PairSubject &subject,
               std::reference_wrapper<const kernscope::Result<kernscope::WorstPlaces>> places,
               double range);
    /// A person cancelled what the pair needs; `pictures`: the sample already.
    void cut(const kernscope::ui::PairSubject &subject, bool pictures);

private:
    void findPlaces(double range);
    void onTasksChanged();

    TaskManager &m_tasks;
    PairSubject m_subject;
    TaskPtr m_sampling, m_locating;
};

} // namespace kernscope::ui
