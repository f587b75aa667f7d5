// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that would hold up the window: planned, undone and made again on another thread.
#include "app/document.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"

#include "app/document_run.h"

#include <QThreadPool>
#include <QTimer>
#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace kernscope::app {

namespace {

/// Edits of more elements, or beside more changed bytes, are planned off the GUI thread.
constexpr std::uint64_t kMostElementsAtOnce = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{8} << 20;
/// Planned edits of more bytes are laid and taken back off the GUI thread.
constexpr std::uint64_t kMostBytesLaidAtOnce = std::uint64_t{4} << 20;
/// A longer program is read off the GUI thread after an edit of its text.
constexpr std::uint64_t kMostProgramAtOnce = std::uint64_t{512} << 10;

/// Numbers written in the program, and masks, whose payload gets another length with them.
bool mayTouchTables(const Bundle &bundle, const Edit &edit)
{
    const auto index = bundle.weightByName(edit.weight);
    if (!index || edit.kind == Edit::Kind::Keep || edit.kind == Edit::Kind::Drop)
        return true;
    const OperandList &operands = bundle.weights()[*index].operands();
    return std::any_of(operands.begin(), operands.end(), [](const codec::Operand &operand) {
        return operand.place->isLiteral() || operand.role == codec::PartRole::Mask;
    });
}

} // namespace

bool Document::plansAside(const std::vector<Edit> &edits) const
{
    std::uint64_t work = 0;
    for (const Edit &edit : edits) {
        const bool many = edit.kind == Edit::Kind::Fill || edit.kind == Edit::Kind::FromNpy ||
                          edit.kind == Edit::Kind::Compute;
        const auto weight = m_session.bundle()->weightByName(edit.weight);
        // The whole weight is more than a fill of a part of it, and costs nothing to find.
        work += !many    ? 1
                : weight ? m_session.bundle()->weights()[*weight].elements.value
                         : kMostElementsAtOnce + 1;
    }
    // Planning begins with a copy of what is changed already.
    std::uint64_t changed = 0;
    for (const BundleFile &entry : m_session.bundle()->files()) {
        for (const ByteRange &run : entry.file->changedBlocks())
            changed += run.bytes.value;
    }
    return work > kMostElementsAtOnce || changed > kMostBytesAtOnce ||
           (parsesLong() && std::any_of(edits.begin(), edits.end(), [this](const Edit &edit) {
                return mayTouchTables(*m_session.bundle(), edit);
            }));
}

void Document::planAside(const std::vector<Edit> &edits, const QString &title)
{
    const BundlePtr base = m_session.bundle();
    run(
        Busy::Planning, tr("Planning %1").arg(title),
        [base, edits, tolerance = m_tolerance](Progress &progress) {
            return planOnFork(base, edits, tolerance, &progress);
        },
        [this, title, base, index = m_session.undoStack().index()](Result<PlannedEdits> &planned,
                                                                   bool stopped) {
            if (stopped)
                Q_EMIT cancelled(Busy::Planning);
            else if (!planned || stillFits(base, index))
                finishPlanning(std::move(planned), title);
        });
}

void Document::finishPlanning(Result<PlannedEdits> planned, const QString &title)
{
    if (!planned) {
        Q_EMIT m_session.editsRefused(planned.error());
        return;
    }
    const bool nothing = std::all_of(planned->edits.begin(), planned->edits.end(),
                                     [](const AppliedEdit &edit) { return edit.bytes.empty(); });
    if (nothing) {
        Q_EMIT m_session.statusMessage(tr("Nothing changes: that is what is stored already."));
        return;
    }
    m_keptEdits.clear(); // if these are they, they are steps again
    m_prepared = std::move(planned->bundle);
    m_session.undoStack().push(new EditCommand(*this, std::move(planned->edits), title));
    m_prepared.reset();
    collectPatches(); // a merge leaves the index as it is
}

bool Document::stillFits(const BundlePtr &base, int index)
{
    m_session.checkFiles();
    if (!m_session.filesHold()) {
        Q_EMIT m_session.editsRefused(*m_session.filesFault());
        return false;
    }
    if (m_session.bundle() == base && m_session.undoStack().index() == index)
        return true;
    refuse("patch.conflict", tr("The bundle was changed meanwhile. Make the edit again."));
    return false;
}

bool Document::showPrepared()
{
    if (!m_prepared)
        return false;
    // The stack may ask for several steps; the fork holds them all.
    const BundlePtr before = m_session.bundle();
    if (before != m_prepared) {
        m_session.updateBundle(m_prepared);
        releaseAside(before);
    }
    return true;
}

/// Giving back the memory of a large edit takes long enough to be felt: not on this thread, once
/// the docks have let go of the bundle.
void Document::releaseAside(BundlePtr bundle)
{
    constexpr int kReleaseMilliseconds = 1000;
    QTimer::singleShot(kReleaseMilliseconds, this, [bundle = std::move(bundle)]() mutable {
        QThreadPool::globalInstance()->start(
            [last = std::move(bundle)]() mutable { last.reset(); });
    });
}

bool Document::parsesLong() const
{
    const Bundle &bundle = *m_session.bundle();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < bundle.files().size(); ++i)
        bytes += bundle.isProgramFile(i) ? bundle.files()[i].file->size().value : 0;
    return bytes > kMostProgramAtOnce;
}

bool Document::laysAside(const AppliedEdit &edit) const
{
    std::uint64_t bytes = 0;
    for (const FileEdit &run : edit.bytes)
        bytes += run.after.size();
    return bytes > kMostBytesLaidAtOnce || (edit.tables && parsesLong());
}

std::vector<EditStep> Document::stepsTo(int index) const
{
    const QUndoStack &stack = m_session.undoStack();
    std::vector<EditStep> steps;
    const auto addOf = [&](int at, bool forward) {
        std::vector<EditStep> more;
        if (const auto *command = dynamic_cast<const EditCommand *>(stack.command(at)))
            more = stepsOf(command->edits(), forward);
        else if (const auto *switched = dynamic_cast<const SwitchCommand *>(stack.command(at)))
            more = switched->steps(forward);
        steps.insert(steps.end(), more.begin(), more.end());
    };
    for (int i = stack.index(); i < index; ++i)
        addOf(i, true);
    for (int i = stack.index(); i > index; --i)
        addOf(i - 1, false);
    return steps;
}

void Document::goToStep(int index)
{
    QUndoStack &stack = m_session.undoStack();
    if (!isOpen() || index < 0 || index > stack.count() || index == stack.index())
        return;
    if (m_busy != Busy::Idle) {
        refuse("patch.busy", tr("Wait until the file is saved or opened or the last edit is made, "
                                "or cancel that."));
        return;
    }
    const std::vector<EditStep> steps = stepsTo(index);
    const bool large = std::any_of(steps.begin(), steps.end(),
                                   [this](const EditStep &step) { return laysAside(*step.edit); });
    if (!large) {
        stack.setIndex(index);
        return;
    }
    const BundlePtr base = m_session.bundle();
    const bool back = index < stack.index();
    run(
        Busy::Stepping,
        (back ? tr("Undoing %1") : tr("Redoing %1"))
            .arg(stack.text(back ? stack.index() - 1 : stack.index())),
        [base, steps](Progress &progress) { return forkWithSteps(base, steps, &progress); },
        [this, base, index, before = stack.index()](Result<BundlePtr> &made, bool stopped) {
            if (stopped) {
                Q_EMIT cancelled(Busy::Stepping);
            } else if (!made && made.error().code != "patch.stale") {
                Q_EMIT m_session.editsRefused(made.error());
            } else if (stillFits(base, before)) {
                // Of a file that another one has replaced there is no fork: then here.
                m_prepared = made ? *made : nullptr;
                m_session.undoStack().setIndex(index);
                m_prepared.reset();
            }
        });
}

} // namespace kernscope::app
