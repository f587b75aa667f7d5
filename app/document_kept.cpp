// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that are not on the disk: kept while they are made, made again after a reload or a crash.
#include "app/document.h"

#include "app/document_run.h"
#include "app/paths.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/table_text.h"

#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace kernscope::app {

/// What became of edits that were to be made again.
struct Document::Remade {
    UnsavedEdits edits;
    std::vector<std::optional<AppliedEdit>> made; ///< by row of edits.entries, but for those off
    BundlePtr bundle;                             ///< with those laid that are on
    std::vector<Edit> refused;
    std::optional<Error> fault; ///< the first one
};

std::vector<AppliedEditPtr> Document::laidEdits() const
{
    std::vector<AppliedEditPtr> edits;
    for (const ui::PatchEntry &entry : m_session.patches()) {
        if (entry.active)
            edits.push_back(entry.edit);
    }
    return edits;
}

/// What is laid begins with edits that are saved; from the first one on that is not, the saved ones
/// are taken back and the others are unsaved.
UnsavedEdits Document::unsavedEdits() const
{
    UnsavedEdits unsaved;
    const std::vector<AppliedEditPtr> laid = laidEdits();
    const auto [saved, firstNew] =
        std::mismatch(m_onDisk.begin(), m_onDisk.end(), laid.begin(), laid.end());
    unsaved.takenBack.assign(saved, m_onDisk.end());
    std::size_t before = static_cast<std::size_t>(firstNew - laid.begin());
    for (const ui::PatchEntry &entry : m_session.patches()) {
        if (entry.active && before > 0) {
            --before;
            continue;
        }
        unsaved.entries.push_back(entry);
        // Such a one is no step any more that could be made again: it is an edit switched off.
        if (!entry.active && std::find(saved, m_onDisk.end(), entry.edit) != m_onDisk.end())
            unsaved.entries.back().off = true;
    }
    return unsaved;
}

void Document::keepEditsIn(const QString &stateFolder)
{
    m_journal = std::make_unique<EditJournal>(stateFolder);
}

void Document::keepEdits()
{
    if (!m_journal || m_again) // what is to be made again is not lost meanwhile
        return;
    UnsavedEdits unsaved = isOpen() && !inMemory() ? unsavedEdits() : UnsavedEdits{};
    const bool worth = modified() || std::any_of(unsaved.entries.begin(), unsaved.entries.end(),
                                                 [](const auto &entry) { return entry.off; });
    if (unsaved.empty() || !worth) {
        m_journal->clear();
        return;
    }
    std::vector<std::string> files;
    for (const BundleFile &file : m_session.bundle()->files())
        files.push_back(file.path);
    m_journal->keep(m_path, [edits = std::move(unsaved), path = m_path, files] {
        return unsavedText(edits, path, files);
    });
}

void Document::forgetEdits()
{
    if (m_journal)
        m_journal->clear();
}

void Document::makeLeftEdits(const QString &file)
{
    if (!m_journal || !isOpen())
        return;
    const auto text = m_journal->read(file);
    auto edits = text ? parseUnsaved(*text, *m_session.bundle())
                      : Result<UnsavedEdits>(tl::unexpected(text.error()));
    if (!edits) {
        Q_EMIT m_session.editsRefused(edits.error());
        return;
    }
    makeAgain(*std::move(edits), [this, file] {
        m_journal->flush(); // they are in the file of this window first
        m_journal->discard(file);
    });
}

/// All together, or where they do not fit, those that do.
Document::Remade Document::remake(const BundlePtr &base, UnsavedEdits edits, double tolerance,
                                  Progress &progress)
{
    Remade remade{std::move(edits), {}, nullptr, {}, {}};
    const auto &entries = remade.edits.entries;
    remade.made.resize(entries.size());
    const auto refuse = [&remade](const Error &fault) {
        if (!remade.fault)
            remade.fault = fault;
    };
    auto fork = forkWithSteps(base, stepsOf(remade.edits.takenBack, false), &progress);
    if (!fork && !remade.edits.takenBack.empty()) {
        refuse(fork.error());
        remade.edits.takenBack.clear();
        fork = forkWithSteps(base, {}, &progress);
    }
    if (!fork) {
        refuse(fork.error());
        return remade;
    }
    const auto plan = [&](bool active, BundlePtr at) {
        std::vector<Edit> all;
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].off || entries[i].active != active)
                continue;
            rows.push_back(i);
            all.push_back(entries[i].edit->edit);
            all.back().note = entries[i].note;
        }
        if (rows.empty())
            return at;
        if (auto planned = planOnFork(at, all, tolerance, &progress)) {
            for (std::size_t i = 0; i < rows.size(); ++i)
                remade.made[rows[i]] = std::move(planned->edits[i]);
            return planned->bundle;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto planned = planOnFork(at, {all[i]}, tolerance, &progress);
            if (planned) {
                remade.made[rows[i]] = std::move(planned->edits.front());
                at = planned->bundle;
            } else {
                refuse(planned.error());
                remade.refused.push_back(all[i]);
            }
        }
        return at;
    };
    remade.bundle = plan(true, *fork);
    plan(false, remade.bundle);
    return remade;
}

void Document::makeAgain(UnsavedEdits edits, std::function<void()> done)
{
    m_again.reset();
    if (m_busy != Busy::Idle)
        return;
    if (edits.empty()) {
        if (done)
            done();
        return;
    }
    m_session.setPatchingEnabled(true);
    const BundlePtr base = m_session.bundle();
    run(
        Busy::Planning, tr("Making the edits again"),
        [base, edits, tolerance = m_tolerance](Progress &progress) {
            return remake(base, edits, tolerance, progress);
        },
        [this, base, edits, done, index = m_session.undoStack().index()](Remade &remade,
                                                                         bool stopped) {
            if (stopped || !remade.bundle || !stillFits(base, index)) {
                for (const ui::PatchEntry &entry : edits.entries) {
                    if (entry.active)
                        m_keptEdits.push_back(entry.edit->edit);
                }
                Q_EMIT m_session.editsRefused(
                    remade.fault.value_or(cancelledError("The edits were not made again")));
                return;
            }
            finishAgain(std::move(remade));
            if (done)
                done();
        });
}

/// As the steps that they were; where an edit is off or a saved one is taken back, what is laid and
/// what is not is one step.
void Document::finishAgain(Remade remade)
{
    const auto &entries = remade.edits.entries;
    std::vector<ListedEdit> before, after;
    for (const AppliedEditPtr &edit : remade.edits.takenBack)
        before.push_back({edit, true});
    const bool switches = !before.empty() || std::any_of(entries.begin(), entries.end(),
                                                         [](const auto &row) { return row.off; });
    struct Step {
        std::size_t of = 0;
        bool undone = false;
        std::vector<AppliedEdit> edits;
    };
    std::vector<Step> steps;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const ui::PatchEntry &entry = entries[i];
        std::optional<AppliedEdit> &made = remade.made[i];
        if (entry.off) {
            after.push_back({entry.edit, false});
            m_notes[entry.edit] = entry.note;
        } else if (!made || made->bytes.empty()) {
            continue; // refused, or what the file has already
        } else if (entry.active && switches) {
            after.push_back({std::make_shared<const AppliedEdit>(std::move(*made)), true});
        } else {
            if (steps.empty() || steps.back().of != entry.step ||
                steps.back().undone == entry.active)
                steps.push_back({entry.step, !entry.active, {}});
            steps.back().edits.push_back(std::move(*made));
        }
    }
    QUndoStack &stack = m_session.undoStack();
    m_prepared = std::move(remade.bundle);
    if (!before.empty() || !after.empty())
        stack.push(
            new SwitchCommand(*this, std::move(before), std::move(after), tr("Edits made again")));
    int laid = stack.index();
    for (Step &step : steps) {
        const QString title = step.edits.size() == 1
                                  ? ui::fromUtf8(editText(step.edits.front().edit))
                                  : tr("%1 edits").arg(step.edits.size());
        if (step.undone && stack.index() == laid)
            stack.setClean(); // else the first undone one could merge with the last of the others
        stack.push(new EditCommand(*this, std::move(step.edits), title));
        if (!step.undone)
            laid = stack.index();
    }
    stack.setIndex(laid);
    m_prepared.reset();
    collectPatches();
    checkModified();
    m_keptEdits = std::move(remade.refused);
    if (remade.fault)
        Q_EMIT m_session.editsRefused(*remade.fault);
}

/// A program that touched a file, or set its permissions, changed no byte of it.
void Document::lookAtFiles()
{
    bool touched = false;
    for (BundleWatch *watch : {&m_watch, &m_otherWatch}) {
        const BundlePtr &bundle = watch == &m_watch ? m_session.bundle() : m_session.other();
        if (!bundle || m_busy != Busy::Idle)
            continue;
        for (const auto &file : watch->touchedOnly(*bundle)) {
            if (!std::exchange(touched, true))
                m_session.tasks().quiesce(); // whose results are dropped
            file->restamp();
        }
    }
    if (touched)
        m_session.updateBundle(m_session.bundle());
    else
        m_session.checkFiles();
}

void Document::onWatchChanged(const QStringList &files)
{
    lookAtFiles();
    QStringList news;
    for (const BundlePtr &bundle : {m_session.bundle(), m_session.other()}) {
        if (!bundle)
            continue;
        for (const BundleFile &entry : bundle->files()) {
            const QString path = toQString(entry.file->path());
            if (files.contains(path) && !news.contains(path) &&
                entry.file->state().kind != FileState::Kind::Same)
                news << path;
        }
    }
    if (m_session.filesHold() && !news.isEmpty()) // else it was told already
        Q_EMIT changedOnDisk(news, true);
}

} // namespace kernscope::app
