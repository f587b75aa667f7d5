// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

/// Saves in place that were cut short: what they left, how a bundle is read all the same, and how
/// they are finished or undone. Reading never writes.
namespace kernscope {

enum class InterruptedState : std::uint8_t {
    Pending, ///< its journal is whole and this user's own: it can be undone or finished
    Busy,    ///< another process is saving right now
    Damaged, ///< the journal is torn, damaged or gone: how far the save came is not known
    Stale,   ///< the files were changed since by something else
    Foreign, ///< a journal whose key is not in the folder of this user's state
    Unknown, ///< a file of that name that is no journal
};

/// "pending", "busy", "damaged", "stale", "foreign", "unknown".
std::string_view interruptedStateName(InterruptedState state);

/// `field` of the error "journal.pending" where the journal is not the user's own.
inline constexpr std::string_view kForeignJournal = "foreign journal";

/// One journal that lies beside a bundle, or beside a file of it.
struct InterruptedSave {
    std::filesystem::path journal;
    InterruptedState state = InterruptedState::Pending;
    /// What is to be said of it: code "journal.pending" (also of a foreign one: kForeignJournal),
    /// "journal.busy", "journal.damaged", "journal.stale", "journal.unknown".
    Error error;
    /// What the save was to write, in the files by their path from the journal's folder. Empty
    /// where the journal cannot be read.
    std::vector<WrittenRange> ranges;

    /// Error where the files on disk are or may be half written, Warning while another process
    /// writes them, else Note.
    Severity severity() const;
};

struct OpenedForReading {
    Result<BundlePtr> bundle;
    std::vector<InterruptedSave> saves;

    /// Why values of the bundle should not be used for another one; null: nothing speaks against.
    const Error *fault() const;
};

/// Opens the bundle at `path` as it will be when interrupted saves of it are undone: the old bytes
/// that their journals keep are laid over the mapped files, in memory only, and do not count as
/// changes. Journals are looked for beside the bundle and beside each file of it, and where the
/// keys of this user's saves say that one of these files was written, or that a bundle which is
/// gone was, and the files hold its bytes half written. Each has a row in the bundle's diagnostics.
/// A journal that is not sound, or not this user's own, is left out and said.
OpenedForReading openForReading(const std::filesystem::path &path, Progress *progress = nullptr);

struct FileForReading {
    std::shared_ptr<OverlaidFile> file;
    Diagnostics notes; ///< of its journal
};

/// The same for one file that is read without a bundle; its name is the path's last component.
/// Errors: those of OverlaidFile::open.
Result<FileForReading> openFileForReading(const std::filesystem::path &path);

enum class RecoverAction : std::uint8_t {
    Undo,    ///< puts the old bytes back
    Finish,  ///< writes the rest of the new ones
    Discard, ///< leaves the files as they are and removes the journal, also a damaged one
};

/// One journal that was dealt with.
struct RecoveredSave {
    InterruptedSave save;
    std::vector<WrittenRange> ranges; ///< written, or with a dry run to be written
    ByteCount bytesWritten;
};

struct RecoverReport {
    std::vector<RecoveredSave> saves; ///< empty where no save was interrupted
    bool verified = false;            ///< read back from disk; false with a dry run
    Diagnostics warnings;             ///< of what was done all the same
};

/// Finishes, undoes or discards the interrupted saves of the bundle at `path`; with `dryRun` only
/// says what it would do. All journals are looked at before anything is written.
/// Errors: the `error` of a journal that cannot be used, "patch.busy", "io.…", "patch.verify",
/// "patch.stale" (a file took another's place), "io.links", "task.cancelled" (also by a signal; the
/// journal stays, and `found` says where bytes may have been written).
Result<RecoverReport> recoverSave(const std::filesystem::path &path, RecoverAction action,
                                  bool dryRun = false, Progress *progress = nullptr);

} // namespace kernscope
