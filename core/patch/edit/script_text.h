// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

namespace kernscope::patch {

/// The edit with the value that the form holds instead of the one asked for: planned again on the
/// same bytes it needs no tolerance. Fills and files keep what was asked, element by element.
Edit heldEdit(const AppliedEdit &applied);
/// Edits as the lines that parseEditScript() reads, each under its note ("# note: …").
std::string scriptText(std::span<const Edit> edits);

/// Edits that were made one after the other on a bundle as a script for another copy of it: the
/// lines of scriptText() under the digests of the bundle before the first edit and of its weights
/// after the last (script_origin.h), and the tolerance that fills and files need.
///
/// `edited` is the bundle with all of `edits` laid over it. Reads all of it: not for the GUI
/// thread. Errors: those of forkWithSteps, "io.hash", "task.cancelled".
Result<std::string> editScript(const BundlePtr &edited,
                               std::span<const std::shared_ptr<const AppliedEdit>> edits,
                               std::span<const Edit> lines, Progress *progress = nullptr);

/// How far what the forms hold is from what fills and files ask for, at most; 0: all is exact.
double largestMiss(std::span<const std::shared_ptr<const AppliedEdit>> edits);

} // namespace kernscope::patch
