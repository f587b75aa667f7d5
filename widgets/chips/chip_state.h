// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QObject>

#include <memory>
#include <vector>

namespace kernscope::ui {

/// What the docks about chips share: the chip that they judge by, and every weight's decision on
/// every chip, made off the GUI thread when a bundle comes. One a session.
class ChipState final : public QObject
{
    Q_OBJECT

public:
    static ChipState &of(Session &session);

    const target::Target &target() const { return *m_target; }
    void setTarget(const target::Target &target);
    /// The chip of the cell that was chosen in the matrix: the assessment is of that one.
    const target::Target &assessed() const { return *m_assessed; }
    void setAssessed(const target::Target &target);
    /// Figures chosen otherwise than the chapters have them.
    const target::TargetChoice &choice() const { return m_choice; }
    void setChoice(const target::TargetChoice &choice);

    /// The decisions of the open bundle; null while they are being made or without a bundle.
    const std::shared_ptr<const DecisionTable> &table() const { return m_table; }
    /// By weight: another form would take less time on the M1 than the stored one.
    const std::vector<bool> &fasterOnM1() const { return m_fasterOnM1; }
    bool working() const { return m_task != nullptr; }
    /// Why there is no table: it is being made, or a person cancelled that.
    QString waitingText() const;
    /// Makes the table anew.
    void judgeAgain() { rebuild(); }

Q_SIGNALS:
    void targetChanged();
    void assessedChanged();
    void tableChanged();

private:
    explicit ChipState(Session &session);
    void rebuild();
    void forget();

    Session &m_session;
    const target::Target *m_target = nullptr, *m_assessed = nullptr;
    target::TargetChoice m_choice;
    std::shared_ptr<const DecisionTable> m_table;
    std::vector<bool> m_fasterOnM1;
    TaskPtr m_task;
    bool m_cut = false; ///< making the table was cancelled
};

} // namespace kernscope::ui
