// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"

#include "app/document_run.h"
#include "app/paths.h"
#include "core/base/error_builder.h"
#include "widgets/common/table_text.h"

#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace kernscope::app {

namespace {

/// True where undo steps made on one bundle fit the other: the same files of the same sizes.
bool sameFiles(const Bundle &a, const Bundle &b)
{
    const auto same = [](const BundleFile &x, const BundleFile &y) {
        return x.path == y.path && x.file->size() == y.file->size();
    };
    return std::equal(a.files().begin(), a.files().end(), b.files().begin(), b.files().end(), same);
}

} // namespace

void Document::refuse(const char *code, const QString &message)
{
    Q_EMIT m_session.editsRefused(ErrorBuilder(code).message(message.toStdString()));
}

void Document::onEditsRequested(const std::vector<Edit> &edits, const QString &title)
{
    if (!isOpen() || edits.empty())
        return;
    if (!m_session.patchingEnabled()) {
        refuse("patch.locked", tr("The file is locked. Enable patching first."));
        return;
    }
    m_session.checkFiles();
    if (!m_session.filesHold()) {
        Q_EMIT m_session.editsRefused(*m_session.filesFault());
        return;
    }
    if (m_busy != Busy::Idle) {
        refuse("patch.busy",
               tr("Wait until the file is saved or opened or the last edit is planned, or "
                  "cancel that."));
        return;
    }
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
    for (int i = 0; i < stack.count(); ++i) {
        const bool done = i < stack.index();
        const auto step = static_cast<std::size_t>(i);
        if (const auto *command = dynamic_cast<const EditCommand *>(stack.command(i))) {
            for (const AppliedEditPtr &edit : command->edits())
                entries.push_back({edit, step, done, false, noteOf(edit)});
        } else if (const auto *switched = dynamic_cast<const SwitchCommand *>(stack.command(i));
                   switched && done) {
            entries.clear();
            for (const ListedEdit &listed : switched->edits())
                entries.push_back({listed.edit, step, listed.on, !listed.on, noteOf(listed.edit)});
        }
    }
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
    m_notes[m_session.patches()[row].edit] = note.simplified().toStdString();
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
        [this, edits = laidEdits()](const EndedSave &ended, bool) { finishSave(ended, edits); });
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

void Document::saveAs(const QString &target)
{
    if (!isOpen() || refusesSave())
        return;
    struct Ended {
        Result<SaveReport> report;
        Opened copy;
    };
    run(
        Busy::Saving, tr("Saving a copy of %1").arg(name()),
        [bundle = m_session.bundle(), bindings = shownSource().bindings,
         target](Progress &progress) {
            Ended ended{saveCopy(*bundle, toPath(target), &progress), {}};
            if (ended.report)
                ended.copy = openSource({target, {}, bindings});
            return ended;
        },
        [this, target](const Ended &ended, bool stopped) {
            if (stopped && !ended.report)
                Q_EMIT cancelled(Busy::Saving);
            else
                finishSaveAs(ended.report, ended.copy, target);
        });
}

void Document::finishSaveAs(const Result<SaveReport> &report, const Opened &copy,
                            const QString &target)
{
    if (!report) {
        Q_EMIT saveFailed(report.error());
        return;
    }
    if (!copy.bundle) {
        Q_EMIT openFailed(target, *copy.error);
        return;
    }
    m_session.tasks().quiesce();
    if (!sameFiles(*m_session.bundle(), *copy.bundle))
        m_session.undoStack().clear();
    m_onDisk = laidEdits();
    m_session.undoStack().setClean();
    m_path = target;
    m_memory.reset();
    m_watch.watch(copy.bundle);
    m_session.updateBundle(copy.bundle);
    keepEdits();
    Q_EMIT saved(*report, target);
}

} // namespace kernscope::app
