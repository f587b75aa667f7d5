// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"
#include "core/patch/patch.h"
#include "core/report/column.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Ranges of files: those that a save writes, those that an edit changes, and files that differ.
namespace kernscope::report {

/// A range that was written, or would be: `patch`, `recover`.
const TableOf<WrittenRange> &writtenRangeTable();
/// A range that a save is about to write, with its first bytes as they are on the disk and as they
/// will be; both empty where the bundle has no such file.
struct PendingRange {
    WrittenRange range;
    std::string before, after; ///< "3c 00 41 …"
};
/// Of the first `most` ranges. Reads the files.
std::vector<PendingRange>
pendingRangeRows(const Bundle &bundle, const std::vector<WrittenRange> &ranges, std::size_t most);
const TableOf<PendingRange> &pendingRangeTable();

/// The ranges that edits change, as if they were saved.
std::vector<WrittenRange> plannedRanges(const Bundle &bundle,
                                        const std::vector<AppliedEdit> &edits);

/// The bytes of an edit, before and after.
struct ChangedBytes {
    std::string_view file;
    const FileEdit *edit = nullptr;
};
std::vector<ChangedBytes> changedBytes(const Bundle &bundle, const AppliedEdit &edit);
const TableOf<ChangedBytes> &changedBytesTable();

/// The files of two builds: `diff`.
const TableOf<FileDifference> &fileDifferenceTable();

} // namespace kernscope::report
