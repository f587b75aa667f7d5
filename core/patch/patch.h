// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/memory.h"
#include "core/base/output_place.h"
#include "core/base/progress.h"
#include "core/patch/edit/edit.h"

namespace kernscope {

/// Bytes of one file of the bundle: what was there and what comes.
struct FileEdit {
    std::size_t file = 0;
    FileOffset offset;
    SharedBytes before, after; ///< same length
};

/// An edit turned into bytes, checked against the form.
struct AppliedEdit {
    Edit edit;
    /// Of a fill or a file: those of the element with the largest error.
    double asked = 0, stored = 0;
    std::string note;             ///< the codec's answer: "codebook entry 7"
    std::string oldText, newText; ///< values for the list of patches
    std::vector<FileEdit> bytes;  ///< empty where nothing had to change
    bool tables = false;          ///< touches program text, a header or a record
    std::uint64_t elements = 1;   ///< decoded elements that it sets
    /// Bytes and Field: what reading the files finds wrong after it and did not before; empty where
    /// they read as well as before.
    std::string breaks;
};

/// Plans edits against a bundle's current bytes; nothing is changed. All or nothing: the first
/// edit that cannot be held is the Error ("patch.unrepresentable", "patch.index", "patch.weight",
/// "patch.masked", "patch.space" where a grown part has no room, …).
///
/// `tolerance` (absolute) is how far a stored value may be from the one asked for. With 0 it must
/// be exact, but for two things that are no loss: the ordinary rounding of numbers stored in fp16,
/// bf16, fp32 or fp64 (codec::Editor), and the shortest text of an fp32 number.
///
/// Later edits see earlier ones. Planning works on a fork of the bundle: readers go on meanwhile,
/// and it may run on any thread. Its memory: about twice the bytes that change, with the plan.
/// Cancelled: "task.cancelled".
Result<std::vector<AppliedEdit>> planEdits(const BundlePtr &bundle, const std::vector<Edit> &edits,
                                           double tolerance, Progress *progress = nullptr);

/// Lays planned bytes over the files (forward) or takes them back (backward). Returns the bundle
/// to show from now on: the same one, or one reread where tables changed.
Result<BundlePtr> applyEdit(const BundlePtr &bundle, const AppliedEdit &edit);
Result<BundlePtr> revertEdit(const BundlePtr &bundle, const AppliedEdit &edit);

/// A run of bytes that a save writes or has written.
struct WrittenRange {
    std::string file;
    ByteRange range;
};

struct SaveReport {
    std::vector<WrittenRange> ranges;
    ByteCount bytesWritten;
    bool verified = false; ///< read back from disk and found to be what was meant
    std::vector<std::filesystem::path> backups; ///< copies of the files as they were before
    /// Of a save that succeeded: what could not be made sure of after its last step.
    Diagnostics warnings;
};

/// What a save in place writes: exactly the bytes that differ from the disk, or, where those are
/// scattered over thousands of runs, runs with some unchanged bytes between.
std::vector<WrittenRange> pendingRanges(const Bundle &bundle);

struct SaveOptions {
    SaveOptions(bool backup = false, bool copyLinked = false)
        : keepBackup(backup), breakLinks(copyLinked)
    {
    }
    bool keepBackup;
    /// A file with several names is copied first; this name gets the copy. What is mapped stays the
    /// old file: open the bundle again after such a save.
    bool breakLinks;
};

/// Writes pendingRanges() into the files and nothing else, behind a journal: what an interrupted
/// save leaves is found by openForReading and mended by recoverSave. Locks first, then looks
/// whether the files are still those that were opened, then writes, reads back and verifies.
/// `keepBackup`: first copies each changed file beside the bundle, as BUNDLE.bak/PATH (a file that
/// lies in no bundle: as FILE.bak). What is there already stays: the next copies go to BUNDLE.bak.2
/// and so on, but for a file whose last backup has the same bytes.
/// Errors: "io.write", "patch.verify", "patch.stale" (the file on disk is not what was opened),
/// "patch.busy" (somebody else is saving), "journal.pending" (an interrupted save comes first),
/// "io.links" (a file that has further names).
Result<SaveReport> saveInPlace(const Bundle &bundle, const SaveOptions &options);
/// The same for a caller on another thread than the one that reads the overlays without a lock:
/// `finish` becomes what is left to be done there (the overlays learn what is on disk now), once,
/// before anything else is written. Set after failures as well. Cancelled before the bytes are
/// verified, it puts every file back as it was: "task.cancelled".
Result<SaveReport> saveInPlace(const BundlePtr &bundle, const SaveOptions &options,
                               std::function<void()> &finish, Progress *progress = nullptr);

struct CopyOptions {
    bool replace = false; ///< a file that exists at the target is replaced; a folder never is
    /// The folder that a bundle in memory was made from: what the bundle does not hold (other
    /// files, links, empty folders) is copied from there, and permissions with it.
    std::filesystem::path origin;
};
/// Copies the bundle (folder or file) to `target` with the overlay applied; built beside it and
/// renamed at the end, so that the copy is whole or not there. Verified like saveInPlace.
///
/// Files, empty folders and links are copied as what they are, with permissions and times of
/// change; whatever cannot be copied is an error. Errors: those of OutputPlace (the target must lie
/// outside of the bundle), "io.read", "io.write", "patch.stale", "patch.verify", "task.cancelled".
Result<SaveReport> saveCopy(const Bundle &bundle, const std::filesystem::path &target,
                            Progress *progress = nullptr, const CopyOptions &options = {});
/// What it makes of the bundle: of a package in an archive a folder.
OutputKind copyKind(const Bundle &bundle, const CopyOptions &options = {});

} // namespace kernscope

namespace kernscope::patch {

enum class SaveStep : std::uint8_t {
    Opened,       ///< the files are open, nothing is locked
    Locked,       ///< no other process can save from here on
    Checked,      ///< the files are those that were opened; nothing was written yet
    BackedUp,     ///< the backups are made
    Journalled,   ///< the journal is on the disk
    RangeWritten, ///< once for each range
    Synced,       ///< all files are on the disk
    Verified,     ///< and were read back
    Removed,      ///< the journal is gone
};

/// Called after each step; false makes that step fail as a fault of the disk would. After Removed
/// that is the last call of the save, which has succeeded by then.
using SaveHook = std::function<bool(SaveStep)>;

/// kernscope::saveInPlace() with a hook, for tests of interrupted saves.
Result<SaveReport> saveInPlace(const Bundle &bundle, const SaveOptions &options,
                               const SaveHook &hook);

} // namespace kernscope::patch

namespace kernscope {

struct PlannedEdits {
    std::vector<AppliedEdit> edits;
    BundlePtr bundle; ///< a fork with all of them laid over it, its tables read again
};

/// planEdits, and the bundle as it is after them. Memory: about three times the bytes that change,
/// of which the bundle and the edits share one. Errors: those of planEdits.
Result<PlannedEdits> planOnFork(const BundlePtr &bundle, const std::vector<Edit> &edits,
                                double tolerance, Progress *progress = nullptr);

/// A planned edit to be laid over the files (forward) or taken back.
struct EditStep {
    std::shared_ptr<const AppliedEdit> edit;
    bool forward = true;
};

/// A fork of `bundle` with the steps made, one after the other; `progress` counts bytes. Errors:
/// "patch.conflict" where the bytes are not those that an edit was planned on, "patch.stale" where
/// the file on disk is not the one that was opened, "task.cancelled".
Result<BundlePtr> forkWithSteps(const BundlePtr &bundle, std::span<const EditStep> steps,
                                Progress *progress = nullptr);

} // namespace kernscope
