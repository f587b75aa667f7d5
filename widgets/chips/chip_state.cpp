// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_state.h"

#include "core/assessment/assess.h"
#include "core/bundle/bundle.h"
#include "core/target/rules.h"
#include "widgets/chips/chip_network.h"

#include <utility>

namespace kernscope::ui {

namespace {

struct Content {
    std::shared_ptr<const DecisionTable> table;
    std::vector<bool> faster;
};

/// Weights with a layer that would take less time on the default chip in another form, where the
/// program waits for its engine: below the dispatch floor nothing gets faster.
std::vector<bool> fasterForms(const Bundle &bundle, Progress &progress)
{
    const std::size_t weights = bundle.weights().size();
    std::vector<bool> faster(weights, false);
    const auto roofs = roofline::roofsOf(target::defaultTarget());
    if (!roofs)
        return faster;
    roofline::LayerTimes times;
    const auto note = [&](const ChipLayer &placed) {
        const auto &stored = placed.figures->stored().timeS;
        const roofline::Assessment *best = placed.figures->bestForm();
        times.add(placed.figures->layer, placed.figures->stored());
        if (stored && best && best->timeS && *best->timeS < 0.99 * *stored)
            faster[placed.weight] = true;
    };
    const bool whole = forEachPlacement(bundle, *roofs, {}, 1, KeptForms::Ends, &progress, note);
    if (!whole || times.total(*roofs).hidesGains())
        faster.assign(weights, false);
    return faster;
}

} // namespace

ChipState &ChipState::of(Session &session)
{
    if (auto *state = session.findChild<ChipState *>(QString(), Qt::FindDirectChildrenOnly))
        return *state;
    return *new ChipState(session);
}

ChipState::ChipState(Session &session)
    : QObject(&session), m_session(session), m_target(&target::defaultTarget()),
      m_assessed(m_target)
{
    connect(&session, &Session::bundleChanged, this, [this] {
        forget();
        rebuild();
    });
    // After an edit the table stands until the new one comes: its rows are the same weights.
    connect(&session, &Session::bytesChanged, this, &ChipState::rebuild);
    connect(&session.tasks(), &TaskManager::changed, this, [this] {
        if (m_task && m_task->progress().cancelled()) {
            m_task = nullptr;
            m_cut = true;
            forget();
            Q_EMIT tableChanged();
        }
    });
    rebuild();
}

void ChipState::setTarget(const target::Target &target)
{
    if (&target == m_target)
        return;
    m_target = &target;
    m_choice = {}; // what was chosen is of the other chip
    Q_EMIT targetChanged();
}

void ChipState::setAssessed(const target::Target &target)
{
    if (&target == m_assessed)
        return;
    m_assessed = &target;
    Q_EMIT assessedChanged();
}

void ChipState::setChoice(const target::TargetChoice &choice)
{
    m_choice = choice;
    Q_EMIT targetChanged();
}

QString ChipState::waitingText() const
{
    return m_cut
               ? tr("Judging the weights was cancelled. Judge the Weights Again in the Chips menu "
                    "starts it anew.")
               : tr("Judging the weights\u2026");
}

void ChipState::forget()
{
    m_table = nullptr;
    m_fasterOnM1.clear();
}

void ChipState::rebuild()
{
    if (const TaskPtr before = std::exchange(m_task, nullptr))
        before->cancel();
    m_cut = false;
    const BundlePtr bundle = m_session.bundle();
    if (!bundle || (m_table && m_table->rows() != bundle->weights().size()))
        forget();
    if (bundle) {
        m_task = m_session.tasks().start(
            this, tr("Judging weights by chip"),
            [bundle](Progress &progress) {
                const BundleReadLock lock(*bundle);
                Content content;
                content.faster = fasterForms(*bundle, progress);
                if (progress.cancelled())
                    return content;
                content.table = std::make_shared<DecisionTable>(*bundle, allTargets());
                return content;
            },
            [this](Content content) {
                m_task = nullptr;
                m_table = std::move(content.table);
                m_fasterOnM1 = std::move(content.faster);
                Q_EMIT tableChanged();
            });
    }
    Q_EMIT tableChanged();
}

} // namespace kernscope::ui

#include "moc_chip_state.cpp"
