// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/common/task_manager.h"

#include <QList>

#include <cstdint>
#include <memory>
#include <string>

class QAction;
class QComboBox;
class QLabel;
class QSpinBox;

namespace kernscope::ui {

class TimelinePlot;

/// The layers one after the other with their two times, for the stored forms and for any other.
class TimelineDock final : public Dock
{
    Q_OBJECT

public:
    explicit TimelineDock(Session &session, QWidget *parent = nullptr);

    QList<QAction *> menuActions() const { return m_actions; }
    TimelinePlot &plot() { return *m_plot; }
    QComboBox &forms() { return *m_forms; }
    QLabel &facts() { return *m_facts; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override { return m_task != nullptr; }

private:
    struct Placed;
    static Placed place(const Bundle &bundle, const roofline::Roofs &roofs,
                        const target::TargetChoice &choice, std::uint64_t batch,
                        const std::string &form, Progress *progress);
    void fillForms();
    static QString timesFact(const roofline::ProgramTime &program);
    void showPlaced(const BundlePtr &bundle, Placed placed);
    void forget();

    ChipState &m_state;
    QComboBox *m_forms = nullptr;
    QSpinBox *m_batch = nullptr;
    QLabel *m_facts = nullptr;
    TimelinePlot *m_plot = nullptr;
    TaskPtr m_task;                       ///< places the layers of a large bundle
    std::weak_ptr<const Bundle> m_placed; ///< whose layers are shown
    QList<QAction *> m_actions;
};

} // namespace kernscope::ui
