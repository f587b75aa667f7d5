// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/save/file_io.h"
#include "widgets/models/handover.h"
#include "widgets/models/session.h"

#include <QDateTime>
#include <QString>
#include <QThreadPool>
#include <QUndoCommand>

#include <map>
#include <mutex>

namespace kernscope::app {

class Document;

using AppliedEditPtr = std::shared_ptr<const AppliedEdit>;

/// One undo step: edits that were planned together. Repeated edits of one cell merge into one step,
/// and a step that ends where it began vanishes.
class EditCommand : public QUndoCommand
{
public:
    EditCommand(Document &document, std::vector<AppliedEdit> edits, const QString &title);

    const std::vector<AppliedEditPtr> &edits() const { return m_edits; }

    void redo() override;
    void undo() override;
    int id() const override;
    bool mergeWith(const QUndoCommand *later) override;

private:
    Document &m_document;
    std::vector<AppliedEditPtr> m_edits;
};

/// An edit in the list of those made so far.
struct ListedEdit {
    AppliedEditPtr edit;
    bool on = true; ///< false: switched off, its bytes are not laid
};

/// One undo step that switches edits of the list off, or on again. Later edits may build on them:
/// those were planned anew.
class SwitchCommand : public QUndoCommand
{
public:
    /// `before`, `after`: all edits of the list, oldest first, in the same order.
    SwitchCommand(Document &document, std::vector<ListedEdit> before, std::vector<ListedEdit> after,
                  const QString &title, std::vector<AppliedEditPtr> takenBack = {});

    /// The list once the step is made.
    const std::vector<ListedEdit> &edits() const { return m_after; }
    /// Edits that no step made, as another window saved them: the last of `before`.
    const std::vector<AppliedEditPtr> &takenBack() const { return m_takenBack; }
    /// What is laid and taken back to make the step, or to undo it.
    std::vector<EditStep> steps(bool forward) const;

    void redo() override;
    void undo() override;

private:
    Document &m_document;
    std::vector<ListedEdit> m_before, m_after;
    std::vector<AppliedEditPtr> m_takenBack;
};

/// One undo step that writes a note on an edit of the list.
class NoteCommand : public QUndoCommand
{
public:
    NoteCommand(Document &document, AppliedEditPtr edit, std::string before, std::string after);

    void redo() override;
    void undo() override;

private:
    Document &m_document;
    AppliedEditPtr m_edit;
    std::string m_before, m_after;
};

/// The steps of edits made one after the other, or taken back one before the other.
std::vector<EditStep> stepsOf(const std::vector<AppliedEditPtr> &edits, bool forward);

/// The bytes of `first` followed by `second`, as one list of runs. Bytes that end as they began are
/// left out. Only for edits that keep their places (AppliedEdit::tables false for both).
std::vector<FileEdit> composed(const std::vector<FileEdit> &first,
                               const std::vector<FileEdit> &second);

/// True where both set the same cell: kind, weight, part and indices are equal.
bool sameCell(const Edit &a, const Edit &b);

/// Those of `patches` that are laid.
std::vector<AppliedEditPtr> laidOf(const std::vector<ui::PatchEntry> &patches);
/// Those of `patches` that are not on the disk, where the last save wrote `onDisk`.
UnsavedEdits unsavedOf(const std::vector<ui::PatchEntry> &patches,
                       const std::vector<AppliedEditPtr> &onDisk);

/// What became of edits that were to be made again.
struct RemadeEdits {
    UnsavedEdits edits;
    std::vector<std::optional<AppliedEdit>> made; ///< by row of edits.entries, but for those off
    BundlePtr bundle;                             ///< with those laid that are on
    std::vector<ui::PatchEntry> refused;
    std::optional<Error> fault;       ///< the first one
    std::vector<std::string> reasons; ///< of each of `refused`
};
/// On a fork of `base`: all together, or where they do not fit, those that do.
RemadeEdits remakeEdits(const BundlePtr &base, UnsavedEdits edits, double tolerance,
                        Progress &progress);

/// The unsaved edits of a window as a file in the folder of the user's state, written off the GUI
/// thread from the moment they are made, whole or not at all. It outlives a process that is killed;
/// a lock says that its window lives. Every window has a file of its own.
class EditJournal
{
public:
    /// `told` is called on another thread: why edits are not kept, and nothing once they are again.
    explicit EditJournal(const QString &stateFolder,
                         std::function<void(const QString &reason)> told = {});
    ~EditJournal();
    EditJournal(const EditJournal &) = delete;
    EditJournal &operator=(const EditJournal &) = delete;

    /// `text` is called on another thread; of texts that follow each other fast the last is
    /// written.
    void keep(const QString &bundle, std::function<std::string()> text);
    /// Tries again what the disk refused: to hold the lock, to write the last text, to remove.
    void again();
    /// Nothing is unsaved any more.
    void clear();
    /// The bundle is closed: what is written stays and is offered where it is opened again.
    void leave();
    /// Until all that was asked for is on the disk.
    void flush() { ui::waitFor(m_pool); }

    /// Edits that a window left which has ended.
    struct Left {
        QString file, bundle;
        QDateTime made;
        int edits = 0;
    };
    /// Those of a bundle, which no other window offers from now on; empty: of any bundle, for the
    /// window that opens it.
    std::vector<Left> left(const QString &bundle);
    Result<std::string> read(const QString &file) const;
    /// They were made again, or are not wanted.
    void discard(const QString &file);

private:
    struct Text {
        QString file;
        std::function<std::string()> make;
    };
    void write();
    void tell(const QString &reason);
    QString nameFor(const QString &bundle) const;
    /// Holds the lock that belongs to a file, unless another process does.
    std::shared_ptr<patch::DiskFile> lock(const QString &file) const;
    /// Behind what is written still; the lock is let go after it.
    void remove(const QString &file, std::shared_ptr<patch::DiskFile> lock);
    void removeAll();

    QString m_folder;
    QString m_bundle; ///< that the file is of
    QString m_file;   ///< of this window; empty: none yet
    std::shared_ptr<patch::DiskFile> m_lock;
    std::map<QString, std::shared_ptr<patch::DiskFile>> m_offered; ///< and their locks
    std::mutex m_mutex;                                            ///< of the next one
    Text m_text; ///< to be written, also where the disk refused it
    // Of the pool's thread:
    std::function<void(const QString &)> m_told;
    QString m_reason; ///< last told
    /// To be removed, tried again with each write and at the end where the disk refused.
    std::vector<std::pair<QString, std::shared_ptr<patch::DiskFile>>> m_removed;
    QThreadPool m_pool; ///< of one thread
};

} // namespace kernscope::app
