// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/save/file_io.h"
#include "widgets/models/session.h"

#include <QDateTime>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace kernscope::app {

/// Edits of a bundle that are not on the disk.
struct UnsavedEdits {
    /// Saved, and taken back since: with the bytes that they changed.
    std::vector<std::shared_ptr<const AppliedEdit>> takenBack;
    /// The others, in the order of Session::patches().
    std::vector<ui::PatchEntry> entries;

    bool empty() const { return takenBack.empty() && entries.empty(); }
};

/// As a script of edits (parseEditScript) that makes those that are on; what else there is stands
/// in comments: the bundle, when it was written, steps, switched off, undone and taken back edits.
/// `files`: paths of the bundle's files, by their indices.
std::string unsavedText(const UnsavedEdits &edits, const QString &bundle,
                        const std::vector<std::string> &files);
/// Errors: those of parseEditScript.
Result<UnsavedEdits> parseUnsaved(std::string_view text, const Bundle &bundle);

/// The unsaved edits of a window as a file in the folder of the user's state, written off the GUI
/// thread from the moment they are made, whole or not at all. It outlives a process that is killed;
/// a lock says that its window lives. Every window has a file of its own.
class EditJournal
{
public:
    explicit EditJournal(const QString &stateFolder);
    ~EditJournal();
    EditJournal(const EditJournal &) = delete;
    EditJournal &operator=(const EditJournal &) = delete;

    /// `text` is called on another thread; of texts that follow each other fast the last is
    /// written.
    void keep(const QString &bundle, std::function<std::string()> text);
    /// Nothing is unsaved any more.
    void clear();
    /// Until all that was asked for is on the disk.
    void flush() { m_pool.waitForDone(); }

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
    void write(const QString &file);
    QString nameFor(const QString &bundle) const;
    /// Holds the lock that belongs to a file, unless another process does.
    std::optional<patch::DiskFile> lock(const QString &file) const;
    static void remove(const QString &file);

    QString m_folder;
    QString m_bundle; ///< that the file is of
    QString m_file;   ///< of this window; empty: none yet
    std::shared_ptr<patch::DiskFile> m_lock;
    std::map<QString, patch::DiskFile> m_offered;
    std::mutex m_mutex; ///< of the next one
    std::function<std::string()> m_text;
    QThreadPool m_pool; ///< of one thread
};

} // namespace kernscope::app
