// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/element_changes.h"
#include "core/format/catalogue.h"
#include "core/patch/binary/apply_binary.h"
#include "core/report/json.h"

namespace kernscope::report {

/// Caches that may still hold what was compiled before a file was changed.
extern const TableOf<format::StaleCache> staleCacheTable;
/// Those of a bundle's kind.
std::vector<format::StaleCache> staleCaches(const Bundle &bundle);

/// An edit that was planned or made. Nothing is owned; the bundle, which names the files, may be
/// null where no file is named.
struct EditFacts {
    const Bundle *bundle = nullptr;
    const AppliedEdit *edit = nullptr;
    bool active = true; ///< false: undone, and can be redone
    /// Bytes that differ from what the files held before the edit.
    std::uint64_t changedBytes() const;
};
std::vector<EditFacts> editRows(const Bundle &bundle, const std::vector<AppliedEdit> &edits);
/// `patch` and the Patches dock.
extern const TableOf<EditFacts> editTable;

// One element as both builds store it: a row a fact, a column a build.

struct PickedSide {
    const Bundle *bundle = nullptr; ///< null where the side has no such weight
    std::size_t weight = 0;
    std::uint64_t element = 0;             ///< its number in that weight
    const StoredElement *stored = nullptr; ///< null where the side does not have it
};

struct PickedFact {
    Value what, a, b;
};
/// Value, code, codebook entry, bytes and their place; how far the two are apart where they are
/// `comparable`.
std::vector<PickedFact> pickedElementRows(const PickedSide &a, const PickedSide &b,
                                          bool comparable);
extern const TableOf<PickedFact> pickedElementTable;

// Ranges of files: those that a save writes, those that an edit changes, and files that differ.

/// A range that was written, or would be: `patch`, `recover`.
extern const TableOf<WrittenRange> writtenRangeTable;
/// A range that a save is about to write, with its first bytes as they are on the disk and as they
/// will be; both empty where the bundle has no such file.
struct PendingRange {
    WrittenRange written;
    std::string before, after; ///< "3c 00 41 …"
};
/// Of the first `most` ranges. Reads the files.
std::vector<PendingRange>
pendingRangeRows(const Bundle &bundle, const std::vector<WrittenRange> &ranges, std::size_t most);
extern const TableOf<PendingRange> pendingRangeTable;

/// The bytes of an edit, before and after.
struct ChangedBytes {
    std::string_view file;
    const FileEdit *edit = nullptr;
};
std::vector<ChangedBytes> changedBytes(const Bundle &bundle, const AppliedEdit &edit);
extern const TableOf<ChangedBytes> changedBytesTable;

/// The files of two builds: `diff`.
extern const TableOf<FileDifference> fileDifferenceTable;

/// What came of a binary patch of one file.
struct AppliedPatch {
    patch::PatchedFile result;
    diff::DifferentBytes changed;
    std::uint64_t bytesBefore = 0;
    std::optional<bool> verified; ///< empty where nothing was written
};
/// Between what it was: names as the document has them.
struct AppliedNames {
    std::string bundle, file, patch;
    std::string output; ///< empty: none was asked for
    bool dryRun = false;
};
/// Everything of `patch --apply`.
Json appliedJson(const AppliedNames &names, const AppliedPatch &applied);

} // namespace kernscope::report
