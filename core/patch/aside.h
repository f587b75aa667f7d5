// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

/// Edits too large for the thread that shows a bundle: planned, laid and taken back on a fork of
/// it, on any thread. The fork then takes the bundle's place, in one step; until then readers go on
/// with the bundle as it was, and giving up leaves nothing behind.
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

/// saveInPlace on another thread, with progress. Cancelled before the bytes are verified, it puts
/// every file back as it was: "task.cancelled".
Result<SaveReport> saveInPlace(const BundlePtr &bundle, const SaveOptions &options,
                               std::function<void()> &finish, Progress *progress);

} // namespace kernscope
