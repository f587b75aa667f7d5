// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/patch/save/file_io.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The journal of a save in place: everything that it takes to put the old bytes back. It is whole
/// and on the disk before the first byte of a file changes, and removed after the last.
///
/// Layout, all numbers little-endian: "KSJOURN1", u64 length of the whole journal, u64 number of
/// entries; each entry: u32 length of the path, the path relative to the folder that the journal
/// lies in, u64 size of that file, u64 offset, u64 length, the old bytes, the new bytes; at the
/// end the SHA-256 of all before it.
namespace kernscope::patch {

inline constexpr std::string_view kJournalSuffix = ".kernscope-journal";

/// One run of bytes of one file.
struct JournalEntry {
    std::string path; ///< relative to the journal's folder
    std::uint64_t fileBytes = 0;
    std::uint64_t offset = 0;
    std::span<const std::byte> before, after; ///< same length; the caller's, or the journal's own
};

/// Where the journal of the bundle (a folder or a file) at `path` lies: beside it.
std::filesystem::path journalPath(const std::filesystem::path &path);

/// Writes it under another name, brings it to the disk and renames it. The file that is returned
/// holds a lock, so that nobody takes a save that is going on for an interrupted one. Fails where
/// there is a journal already: "patch.journal" (a save was interrupted and must be undone first),
/// "patch.busy" (another process is saving).
Result<File> writeJournal(const std::filesystem::path &journal,
                          std::span<const JournalEntry> entries);

Result<void> removeJournal(const std::filesystem::path &journal);

/// Whether a path stays below the folder that it is relative to.
bool staysInside(const std::filesystem::path &path);

/// The entries between the header and the digest; nothing where they are not exactly `count`, or
/// one of them leaves its file or the folder. The spans view `body`.
std::optional<std::vector<JournalEntry>> parseJournalEntries(std::span<const std::byte> body,
                                                             std::uint64_t count);

/// A journal as read; the entries view `bytes`.
struct Journal {
    File file; ///< locked
    std::vector<std::byte> bytes;
    std::vector<JournalEntry> entries;
};

/// Errors: "patch.journal.torn" (shorter than it says: never finished, so nothing was changed),
/// "patch.journal" (damaged), "patch.busy" (a save is going on), those of reading.
Result<Journal> readJournal(const std::filesystem::path &journal);

} // namespace kernscope::patch
