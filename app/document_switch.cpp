// SPDX-License-Identifier: GPL-3.0-or-later
// One edit of the list switched off, or on again, while the others stay.
#include "app/document.h"

#include "app/document_run.h"
#include "widgets/common/table_text.h"

#include <QUndoStack>

#include <utility>

namespace kernscope::app {

namespace {

/// A fork with `back` taken back and `edits` planned on it in their order.
Result<PlannedEdits> replanOnFork(const BundlePtr &bundle, const std::vector<EditStep> &back,
                                  const std::vector<Edit> &edits, double tolerance,
                                  Progress &progress)
{
    auto fork = forkWithSteps(bundle, back, &progress);
    if (!fork)
        return tl::unexpected(std::move(fork.error()));
    if (edits.empty())
        return PlannedEdits{{}, *std::move(fork)};
    return planOnFork(*fork, edits, tolerance, &progress);
}

} // namespace

/// Those that are done, in the order of Session::patches(), which holds them first.
std::vector<ListedEdit> Document::listedEdits() const
{
    std::vector<ListedEdit> listed;
    for (const ui::PatchEntry &entry : m_session.patches()) {
        if (entry.active || entry.off)
            listed.push_back({entry.edit, entry.active});
    }
    return listed;
}

void Document::switchEdit(std::size_t row, bool on)
{
    const auto &patches = m_session.patches();
    const QUndoStack &stack = m_session.undoStack();
    if (!isOpen() || row >= patches.size() || patches[row].active == on)
        return;
    if (!patches[row].active && !patches[row].off) {
        goToStep(static_cast<int>(patches[row].step) + 1);
        return;
    }
    std::vector<ListedEdit> after = listedEdits();
    const auto *last = stack.index() > 0
                           ? dynamic_cast<const EditCommand *>(stack.command(stack.index() - 1))
                           : nullptr;
    if (!on && last && last->edits().size() == 1 && row + 1 == after.size()) {
        goToStep(stack.index() - 1);
        return;
    }
    if (m_busy != Busy::Idle) {
        refuse("patch.busy", tr("Wait until the file is saved or opened or the last edit is made, "
                                "or cancel that."));
        return;
    }
    std::vector<AppliedEditPtr> taken;
    std::vector<Edit> edits;
    for (std::size_t i = row; i < after.size(); ++i) {
        if (after[i].on)
            taken.push_back(after[i].edit);
        if (i == row)
            after[i].on = on;
        if (after[i].on) {
            edits.push_back(after[i].edit->edit);
            edits.back().note = noteOf(after[i].edit);
        }
    }
    const BundlePtr base = m_session.bundle();
    run(
        Busy::Planning, on ? tr("Switching an edit on") : tr("Switching an edit off"),
        [base, back = stepsOf(taken, false), edits, tolerance = m_tolerance](Progress &progress) {
            return replanOnFork(base, back, edits, tolerance, progress);
        },
        [this, base, after, row, index = stack.index()](Result<PlannedEdits> &planned,
                                                        bool stopped) {
            if (stopped)
                Q_EMIT cancelled(Busy::Planning);
            else if (!planned || stillFits(base, index))
                finishSwitch(std::move(planned), after, row);
        });
}

void Document::finishSwitch(Result<PlannedEdits> planned, std::vector<ListedEdit> after,
                            std::size_t row)
{
    if (!planned) {
        Q_EMIT m_session.editsRefused(planned.error());
        return;
    }
    const QString edit = ui::fromUtf8(editText(after[row].edit->edit));
    const QString title = after[row].on ? tr("On: %1").arg(edit) : tr("Off: %1").arg(edit);
    std::size_t made = 0;
    for (std::size_t i = row; i < after.size(); ++i) {
        if (after[i].on)
            after[i].edit = std::make_shared<const AppliedEdit>(std::move(planned->edits[made++]));
    }
    m_prepared = std::move(planned->bundle);
    m_session.undoStack().push(new SwitchCommand(*this, listedEdits(), std::move(after), title));
    m_prepared.reset();
}

} // namespace kernscope::app
