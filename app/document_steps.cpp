// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that would hold up the window: planned, undone and made again on another thread.
#include "app/document.h"
#include "app/files.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/patch/edit/literal_rewrite.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

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

/// True where undo steps made on one bundle fit the other: the same files of the same sizes.
bool sameFiles(const Bundle &a, const Bundle &b)
{
    const auto same = [](const BundleFile &x, const BundleFile &y) {
        return x.path == y.path && x.file->size() == y.file->size();
    };
    return std::equal(a.files().begin(), a.files().end(), b.files().begin(), b.files().end(), same);
}

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

void Document::refuseEdits(const Error &fault)
{
    const auto file = m_session.bundle()->fileByPath(fault.file);
    if (fault.code == "patch.space" && file && m_session.bundle()->isProgramFile(*file))
        m_editsForCopy = m_asked;
    Q_EMIT m_session.editsRefused(fault);
}

void Document::finishPlanning(Result<PlannedEdits> planned, const QString &title)
{
    if (!planned) {
        refuseEdits(planned.error());
        return;
    }
    const bool nothing = std::all_of(planned->edits.begin(), planned->edits.end(),
                                     [](const AppliedEdit &edit) { return edit.bytes.empty(); });
    if (nothing) {
        if (m_askedKept)
            forgetKeptEdits();
        Q_EMIT m_session.statusMessage(tr("Nothing changes: that is what is stored already."));
        return;
    }
    if (m_askedKept)
        m_kept.clear(); // they are steps again
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
        ui::startOn(*QThreadPool::globalInstance(),
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
    if (m_busy != Busy::Idle)
        return refuse("patch.busy",
                      tr("Wait until the file is saved or opened or the last edit is made, "
                         "or cancel that."));
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

void Document::refuse(const char *code, const QString &message)
{
    Q_EMIT m_session.editsRefused(ErrorBuilder(code).message(message.toStdString()));
}

void Document::onEditsRequested(const std::vector<Edit> &edits, const QString &title)
{
    if (!isOpen() || edits.empty())
        return;
    if (!m_session.patchingEnabled())
        return refuse("patch.locked", tr("The file is locked. Enable patching first."));
    m_session.checkFiles();
    if (!m_session.filesHold()) {
        Q_EMIT m_session.editsRefused(*m_session.filesFault());
        return;
    }
    if (m_busy != Busy::Idle)
        return refuse("patch.busy",
                      tr("Wait until the file is saved or opened or the last edit is planned, or "
                         "cancel that."));
    m_asked = edits;
    m_askedKept = m_makingKept;
    m_editsForCopy.clear();
    QString text = title;
    if (text.isEmpty())
        text = edits.size() == 1 ? ui::fromUtf8(editText(edits.front()))
                                 : tr("%1 edits").arg(edits.size());
    if (plansAside(edits)) {
        planAside(edits, text);
        return;
    }
    auto planned = planEdits(m_session.bundle(), edits, m_tolerance);
    if (planned)
        finishPlanning(PlannedEdits{std::move(*planned), nullptr}, text);
    else
        finishPlanning(tl::unexpected(std::move(planned.error())), text);
}

bool Document::makeSteps(const std::vector<EditStep> &steps)
{
    if (showPrepared())
        return true;
    m_session.tasks().quiesce();
    applySavedState(); // a save may have ended whose result has not come yet
    BundlePtr bundle = m_session.bundle();
    const auto make = [&bundle](const EditStep &step, bool forward) -> std::optional<Error> {
        auto next = forward ? applyEdit(bundle, *step.edit) : revertEdit(bundle, *step.edit);
        if (!next)
            return std::move(next.error());
        bundle = std::move(*next);
        return std::nullopt;
    };
    std::optional<Error> fault;
    for (std::size_t i = 0; i < steps.size() && !fault; ++i) {
        fault = make(steps[i], steps[i].forward);
        while (fault && i > 0) {
            --i;
            make(steps[i], !steps[i].forward); // was so a moment ago
        }
    }
    m_session.updateBundle(bundle);
    if (fault)
        Q_EMIT m_session.editsRefused(*fault);
    return !fault;
}

void Document::collectPatches()
{
    const QUndoStack &stack = m_session.undoStack();
    // Of edits that no step holds any more.
    std::erase_if(m_notes, [](const auto &note) { return note.first.use_count() == 1; });
    std::vector<ui::PatchEntry> entries;
    std::vector<AppliedEditPtr> found;
    for (int i = 0; i < stack.count(); ++i) {
        const bool done = i < stack.index();
        const auto step = static_cast<std::size_t>(i);
        const auto *switched = dynamic_cast<const SwitchCommand *>(stack.command(i));
        if (const auto *command = dynamic_cast<const EditCommand *>(stack.command(i))) {
            for (const AppliedEditPtr &edit : command->edits())
                entries.push_back({edit, step, done, false, noteOf(edit)});
        } else if (switched && done) {
            entries.clear();
            for (const ListedEdit &listed : switched->edits())
                entries.push_back({listed.edit, step, listed.on, !listed.on, noteOf(listed.edit)});
        } else if (switched) {
            for (const AppliedEditPtr &edit : switched->takenBack())
                entries.push_back({edit, step, true, false, noteOf(edit)});
        }
        if (switched)
            std::ranges::copy(switched->takenBack(), std::back_inserter(found));
    }
    // The step that took one back is undone and forgotten: it is of the file now.
    for (const AppliedEditPtr &edit : std::exchange(m_found, found)) {
        if (std::ranges::find(m_found, edit) == m_found.end())
            std::erase(m_onDisk, edit);
    }
    std::stable_partition(entries.begin(), entries.end(),
                          [](const auto &row) { return row.active || row.off; });
    m_session.setPatches(std::move(entries));
    keepEdits();
}

std::string Document::noteOf(const AppliedEditPtr &edit) const
{
    const auto found = m_notes.find(edit);
    return found == m_notes.end() ? edit->edit.note : found->second;
}

void Document::carryNote(const AppliedEditPtr &from, const AppliedEditPtr &to)
{
    if (const std::string note = noteOf(from); !note.empty())
        m_notes[to] = note;
}

void Document::setEditNote(std::size_t row, const QString &note)
{
    if (row >= m_session.patches().size())
        return;
    const AppliedEditPtr edit = m_session.patches()[row].edit;
    const std::string before = noteOf(edit), after = note.simplified().toStdString();
    QUndoStack &stack = m_session.undoStack();
    if (before == after)
        return;
    if (m_busy == Busy::Idle && !stack.canRedo()) {
        stack.push(new NoteCommand(*this, edit, before, after));
        return;
    }
    writeNote(edit, after);
    collectPatches();
}

std::vector<WrittenRange> Document::pendingRanges() const
{
    return isOpen() ? kernscope::pendingRanges(*m_session.bundle()) : std::vector<WrittenRange>{};
}

/// While an edit is made aside, and over files that are not those that were read: nothing of them
/// is shown. While a file is opened or saved, the window offers no save.
bool Document::refusesSave()
{
    if (const auto &fault = m_session.filesFault()) {
        Q_EMIT saveFailed(*fault);
        return true;
    }
    if (m_busy != Busy::Planning && m_busy != Busy::Stepping)
        return m_busy != Busy::Idle;
    Q_EMIT saveFailed(
        ErrorBuilder("patch.planning")
            .message("An edit is being planned or taken back: wait for it, or cancel it"));
    return true;
}

void Document::save(const SaveOptions &options)
{
    if (!isOpen() || inMemory() || refusesSave())
        return;
    m_watch.hold();
    m_session.setSaving(true);
    run(
        Busy::Saving, tr("Saving %1").arg(name()),
        [this, bundle = m_session.bundle(), source = shownSource(), options](Progress &progress) {
            std::function<void()> apply;
            EndedSave ended{saveInPlace(bundle, options, apply, &progress), {}};
            if (ended.report && options.breakLinks)
                ended.copy = openSource(source);
            const std::lock_guard lock(m_savedStateMutex);
            m_applySavedState = std::move(apply);
            return ended;
        },
        [this, edits = laidOf(m_session.patches())](const EndedSave &ended, bool) {
            finishSave(ended, edits);
        });
}

void Document::applySavedState()
{
    std::function<void()> step;
    {
        const std::lock_guard lock(m_savedStateMutex);
        step = std::exchange(m_applySavedState, nullptr);
    }
    if (step)
        step();
}

void Document::finishSave(const EndedSave &ended, std::vector<AppliedEditPtr> edits)
{
    const Result<SaveReport> &report = ended.report;
    applySavedState();
    if (ended.copy.bundle) {
        m_session.tasks().quiesce();
        m_watch.watch(ended.copy.bundle);
        m_session.updateBundle(ended.copy.bundle);
    }
    m_session.setSaving(false);
    if (!report && report.error().code == "task.cancelled") {
        m_watch.restamp(); // what was written is put back, which changed the files' times
        Q_EMIT cancelled(Busy::Saving);
        return;
    }
    if (!report) {
        m_watch.release();
        Q_EMIT saveFailed(report.error());
        return;
    }
    m_watch.restamp();
    m_session.updateBundle(m_session.bundle());
    m_onDisk = std::move(edits);
    m_session.undoStack().setClean(); // the next edit of the same cell is another step
    keepEdits();
    Q_EMIT saved(*report, m_path);
}

void Document::saveAs(const QString &target, std::vector<Edit> more)
{
    if (!isOpen() || refusesSave())
        return;
    run(
        Busy::Saving, tr("Saving a copy of %1").arg(name()),
        [bundle = m_session.bundle(), bindings = shownSource().bindings, target, more,
         origin = inMemory() ? std::filesystem::path() : m_session.bundle()->path(),
         tolerance = m_tolerance](Progress &progress) {
            const auto write = [&]() -> Result<SaveReport> {
                if (more.empty())
                    return saveCopy(*bundle, toPath(target), &progress);
                const auto roomy = TRY(patch::withLiteralRoom(*bundle, more, tolerance));
                const auto planned =
                    TRY(planOnFork(roomy ? roomy : bundle, more, tolerance, &progress));
                auto report =
                    TRY(saveCopy(*planned.bundle, toPath(target), &progress, {false, origin}));
                for (const WrittenRange &range : // laid before, which `roomy` has as its own
                     roomy ? kernscope::pendingRanges(*bundle) : std::vector<WrittenRange>{})
                    report.bytesWritten.value += range.range.bytes.value;
                return report;
            };
            EndedSave ended{write(), {}};
            if (ended.report)
                ended.copy = openSource({target, {}, bindings});
            return ended;
        },
        [this, target, same = more.empty()](const EndedSave &ended, bool stopped) {
            if (stopped && !ended.report)
                Q_EMIT cancelled(Busy::Saving);
            else
                finishSaveAs(ended, target, same);
        });
}

void Document::finishSaveAs(const EndedSave &ended, const QString &target, bool sameSteps)
{
    const auto &[report, copy] = ended;
    if (!report) {
        Q_EMIT saveFailed(report.error());
        return;
    }
    if (!copy.bundle) {
        Q_EMIT openFailed(target, *copy.error);
        return;
    }
    m_session.tasks().quiesce();
    m_editsForCopy.clear();
    if (!sameSteps || !sameFiles(*m_session.bundle(), *copy.bundle))
        m_session.undoStack().clear();
    m_onDisk = laidOf(m_session.patches());
    m_session.undoStack().setClean();
    m_path = target;
    m_memory.reset();
    m_watch.watch(copy.bundle);
    m_session.updateBundle(copy.bundle);
    keepEdits();
    Q_EMIT saved(*report, target);
}

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
    if (m_busy != Busy::Idle)
        return refuse("patch.busy",
                      tr("Wait until the file is saved or opened or the last edit is made, "
                         "or cancel that."));
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
