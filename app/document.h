// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/bundle_watch.h"
#include "app/edit_journal.h"
#include "core/bundle/bound_shapes.h"
#include "core/patch/interrupted_save.h"
#include "widgets/models/task_manager.h"

#include <limits>
#include <type_traits>

namespace kernscope::app {

/// Files of a bundle that exists in memory, as OpenOptions takes them.
struct MemoryBundle {
    std::string name;
    std::vector<std::pair<std::string, std::vector<std::byte>>> files;
};

/// The open bundle as something that is opened, edited and saved: feeds the session, owns the undo
/// commands, watches the files. It shows no dialogs; the window does.
///
/// Everything that may wait for a disk runs as a task of the session; while one of ours runs (busy)
/// edits and further files are refused.
class Document : public QObject
{
    Q_OBJECT

public:
    enum class Busy : std::uint8_t {
        Idle,
        Opening,
        Saving,
        Planning, ///< an edit is planned and laid over a fork
        Binding,  ///< tables are read again with shapes of inputs
        Stepping, ///< edits are taken back or made again on a fork
    };

    explicit Document(ui::Session &session, QObject *parent = nullptr);
    ~Document() override;

    /// What is to be done with saves that were interrupted, found on opening.
    enum class Interrupted : std::uint8_t {
        Recover, ///< put the old bytes back
        Show,    ///< show what is there after that; write nothing
        Cancel,  ///< open nothing
    };

    /// Opens A, and B beside it where `otherPath` is given. Ends in opened(), openFailed() or,
    /// where a save of one of them was interrupted, in interruptedSaveFound(): answerInterrupted()
    /// then goes on.
    void open(const QString &path, const QString &otherPath = {});
    /// Answers interruptedSaveFound(); does nothing where none waits.
    void answerInterrupted(Interrupted answer);
    /// What is done without a dialog, where an answer was set (pictures of the window).
    void setInterruptedAnswer(Interrupted answer) { m_interruptedAnswer = answer; }
    /// Recovers interrupted saves of what is open, and opens it again.
    void recover();
    /// Opens B beside the document: otherOpened() or openFailed().
    void openOther(const QString &path) { openOtherSource({path, {}}, false); }
    void openMemory(MemoryBundle bundle, std::optional<MemoryBundle> other = std::nullopt);
    /// The document as it is on disk now; the place is kept. The edits that are not on the disk are
    /// made again on what is there now, with those undone or switched off, or forgotten.
    void reload(bool editsAgain = false);
    /// Edits that were to be made again and were not: the file refused them. They stay among the
    /// unsaved ones until they are made or forgotten; while the bundle is closed as well. Those
    /// that were undone before stay with them, and are not among these.
    std::vector<Edit> keptEdits() const;
    void makeKeptEdits();
    void forgetKeptEdits() { setKept({}); }
    /// What was refused last because numbers of the program get longer: a copy has the room.
    const std::vector<Edit> &editsForCopy() const { return m_editsForCopy; }

    /// From now on unsaved edits are kept in the folder of the user's state.
    void keepEditsIn(const QString &stateFolder);
    /// Where they are kept; null: nowhere.
    EditJournal *editJournal() { return m_journal.get(); }
    /// Makes edits again that a window left which has ended (EditJournal::left); what the file does
    /// not take is told by editsRefused and in keptEdits().
    void makeLeftEdits(const QString &file);
    /// The user does not want what is unsaved, or it is saved. Kept edits are left for the next
    /// window that opens the bundle.
    void forgetEdits();
    void close();
    void closeOther();
    /// B becomes the document and A the one compared with; edits are forgotten.
    void swapSides();

    /// Writes the changed ranges in place: saved() or saveFailed().
    void save(const SaveOptions &options);
    /// Writes a copy, which becomes the document; undo steps live on. `target` must not exist.
    /// `more`: edits that are made in the copy alone (editsForCopy()); then no steps live on.
    void saveAs(const QString &target, std::vector<Edit> more = {});
    std::vector<WrittenRange> pendingRanges() const;

    bool isOpen() const { return m_session.bundle() != nullptr; }
    bool inMemory() const { return m_memory.has_value(); }
    QString path() const { return m_path; } ///< empty in memory
    QString otherPath() const { return m_otherPath; }
    QString name() const;
    QString otherName() const;
    /// True where any byte differs from the disk.
    bool modified() const;
    /// True where every file may be written in place.
    bool writable() const;
    Busy busy() const { return m_busy; }

    /// Largest difference between what is asked and what a form can hold; infinite by default: the
    /// nearest value is taken, and shown before and after.
    double tolerance() const { return m_tolerance; }
    void setTolerance(double tolerance) { m_tolerance = tolerance; }

    /// "x = [1, 3, 64, 64], …"
    static QString shapesText(const std::vector<shapes::ShapeBinding> &bindings);
    /// Inputs of A whose shapes the file leaves open, as it declares them, also once bound.
    const std::vector<shapes::OpenInput> &openInputs() const { return m_openInputs; }
    /// Gives inputs of A a shape, instead of those given before; none: as the file has them. A
    /// task: shapesBound(), shapesRefused() or cancelled(). Edits and reloads keep the shapes.
    void bindShapes(std::vector<shapes::ShapeBinding> bindings);

    /// Undoes or makes again what lies between here and step `index` of the undo stack (as
    /// QUndoStack::setIndex). Large steps are a task: cancelled() or editsRefused where it does not
    /// get there, and everything stays as it was.
    void goToStep(int index);

    /// Switches one edit of Session::patches() off, or on again; the others stay. Later edits may
    /// build on it, so those are planned anew, as a task: one undo step, or cancelled() or
    /// editsRefused, and everything stays as it was. The last edit is simply undone, and of undone
    /// ones those before are redone as well.
    void switchEdit(std::size_t row, bool on);
    /// Text that goes with an edit of Session::patches(), also into scripts; empty: none. An undo
    /// step, unless that would forget edits that are undone, or disturb what is under way.
    void setEditNote(std::size_t row, const QString &note);

    /// For undo commands.
    void writeNote(const AppliedEditPtr &edit, const std::string &note) { m_notes[edit] = note; }
    /// For undo commands that put one edit in another's place: its note goes with it.
    void carryNote(const AppliedEditPtr &from, const AppliedEditPtr &to);
    /// For undo commands: lays bytes over the files and takes them back, in this order. All or
    /// nothing; false (after Session::editsRefused) where that did not go.
    bool makeSteps(const std::vector<EditStep> &steps);

Q_SIGNALS:
    void opened(bool recovered); ///< recovered: an interrupted save was undone first
    void interruptedSaveFound(const std::vector<kernscope::InterruptedSave> &saves);
    void otherOpened();
    void closed();
    void openFailed(const QString &path, const kernscope::Error &error);
    void saved(const kernscope::SaveReport &report, const QString &target);
    void saveFailed(const kernscope::Error &error);
    /// Text of what was bound and what follows of it; empty: the shapes are open again.
    void shapesBound(const QString &text);
    void shapesRefused(const kernscope::Error &error); ///< also on a reload: bound no more
    void cancelled(kernscope::app::Document::Busy what);
    /// `keepable`: other files took their places; what is shown is the old ones, whole. Otherwise
    /// the files themselves were written, and nothing of them can be shown until a reload.
    void changedOnDisk(const QStringList &files, bool keepable);
    /// Unsaved edits die with the window for now; empty: they are kept again.
    void editsNotKept(const QString &reason);
    void modifiedChanged(bool modified);
    void busyChanged();

private:
    struct Source {
        QString path;
        std::optional<MemoryBundle> memory;
        /// Shapes to bind once it is open; none: the model's own defaults.
        std::optional<std::vector<shapes::ShapeBinding>> bindings = {};
    };
    struct Opened {
        BundlePtr bundle;
        std::optional<Error> error;
        std::vector<shapes::OpenInput> inputs;
        std::optional<Error> shapesFault; ///< why the shapes were not bound
        bool recovered = false;
        std::vector<InterruptedSave> saves; ///< that can be recovered
    };
    static Opened openSource(const Source &source, bool recover = false);
    static void bindOpened(Opened &opened, const Source &source);
    /// What is open, to be opened again with the shapes that it has.
    Source shownSource() const;
    Source otherSource() const;

    /// Runs `work(Progress &)` as a task and hands its result, cancelled or not, to `done` here.
    template <class Work, class Done>
    void run(Busy busy, const QString &title, Work work, Done done);
    void setBusy(Busy busy);
    /// Work that ended by an exception: all is as before it.
    void abandon();
    void openOtherSource(const Source &source, bool recover);
    using OpenedPair = std::pair<Opened, Opened>;
    void openBoth(Source a, std::optional<Source> b, std::function<void()> then = {},
                  bool recover = false);
    /// Shows what was opened, or asks first where a save was interrupted.
    void finishOpening(const Source &a, const std::optional<Source> &b, const OpenedPair &both,
                       const std::function<void()> &then);
    void showBoth(const Source &a, const std::optional<Source> &b, const OpenedPair &both,
                  const std::function<void()> &then);
    /// Asks, or takes the answer chosen before; `go` gets it.
    void askInterrupted(std::vector<InterruptedSave> saves, std::function<void(Interrupted)> go);
    void showOpened(const Source &source, const Opened &opened);
    void showOther(const Source &source, const Opened &opened);
    /// Tells the overlays that a save has ended, once, on this thread.
    void applySavedState();
    struct EndedSave {
        Result<SaveReport> report;
        Opened copy; ///< what was written, where it is another file now
    };
    void finishSave(const EndedSave &ended, std::vector<AppliedEditPtr> edits);
    void finishSaveAs(const EndedSave &ended, const QString &target, bool sameSteps);

    void onEditsRequested(const std::vector<Edit> &edits, const QString &title);
    /// Whether planning may take longer than the window may stall.
    bool plansAside(const std::vector<Edit> &edits) const;
    bool refusesSave();
    void planAside(const std::vector<Edit> &edits, const QString &title);
    /// `planned.bundle`: the fork that takes the bundle's place; null: the edits are laid here.
    void finishPlanning(Result<PlannedEdits> planned, const QString &title);
    void refuseEdits(const Error &fault);
    std::vector<EditStep> stepsTo(int index) const;
    std::vector<ListedEdit> listedEdits() const;
    void finishSwitch(Result<PlannedEdits> planned, std::vector<ListedEdit> after, std::size_t row);
    std::string noteOf(const AppliedEditPtr &edit) const;
    /// Whether making or taking back an edit may take longer than the window may stall.
    bool laysAside(const AppliedEdit &edit) const;
    bool parsesLong() const;
    /// What was made aside may take the place of the bundle that it was made of; refuses otherwise.
    bool stillFits(const BundlePtr &base, int index);
    /// True, once it is shown, where a fork is at hand that holds what an undo command asks for.
    bool showPrepared();
    void releaseAside(BundlePtr bundle);
    void refuse(const char *code, const QString &message);
    void collectPatches();
    void keepEdits();
    void keepInJournal(UnsavedEdits edits);
    void setKept(std::vector<ui::PatchEntry> kept);
    void makeAgain(UnsavedEdits edits, std::function<void()> done);
    void keepAgain();
    void finishAgain(RemadeEdits made);
    void checkModified();
    void onFilesHoldChanged(bool hold);
    void lookAtFiles();
    void onWatchChanged(const QStringList &files);

    ui::Session &m_session;
    BundleWatch m_watch, m_otherWatch;
    std::vector<ui::PatchEntry> m_kept; ///< with what was stated of them (UnsavedEdits::entries)
    bool m_makingKept = false, m_askedKept = false; ///< while they are asked for; of m_asked
    std::vector<Edit> m_asked, m_editsForCopy;
    std::unique_ptr<EditJournal> m_journal;
    QTimer m_retry;                                ///< while the journal cannot be written
    std::optional<UnsavedEdits> m_again;           ///< of a reload, until they are made
    bool m_remaking = false;                       ///< the journal waits until all are made
    std::vector<AppliedEditPtr> m_onDisk;          ///< edits that the last save wrote
    std::vector<AppliedEditPtr> m_found;           ///< those of other windows that steps take back
    std::map<AppliedEditPtr, std::string> m_notes; ///< where not those that the edits came with
    QString m_path, m_otherPath;
    std::optional<MemoryBundle> m_memory, m_otherMemory;
    Busy m_busy = Busy::Idle;
    std::vector<shapes::OpenInput> m_openInputs;
    bool m_wasModified = false;
    BundlePtr m_prepared; ///< while the undo stack moves: the fork that is where it moves to
    std::mutex m_savedStateMutex;
    std::function<void()> m_applySavedState;
    std::function<void(Interrupted)> m_waiting; ///< for answerInterrupted()
    std::optional<Interrupted> m_interruptedAnswer;
    double m_tolerance = std::numeric_limits<double>::infinity();
};

/// Private to Document's sources. TaskManager drops the result of a cancelled task; a document has
/// to know how it ended, so the work posts it itself.
template <class Work, class Done>
void Document::run(Busy busy, const QString &title, Work work, Done done)
{
    using T = std::invoke_result_t<Work, Progress &>;
    setBusy(busy);
    if (m_journal)
        m_journal->again();
    m_session.tasks().start(
        this, title,
        [this, work = std::move(work), done = std::move(done)](Progress &progress) {
            std::shared_ptr<T> result;
            try {
                result = std::make_shared<T>(work(progress));
            } catch (...) { // TaskManager says it
                ui::post(this, [this] { abandon(); });
                throw;
            }
            const bool stopped = progress.cancelled();
            ui::post(this, [this, result, stopped, done] {
                setBusy(Busy::Idle);
                done(*result, stopped);
            });
            return true;
        },
        [](bool) {});
}

} // namespace kernscope::app
