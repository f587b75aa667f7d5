// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/output_place.h"
#include "core/base/overlaid_file.h"
#include "core/patch/save/file_io.h"

#include <functional>

/// The journal of a save in place: everything that it takes to put the old bytes back, or to finish
/// with the new ones. It is whole and on the disk before the first byte of a file changes, and
/// removed after the last.
///
/// Layout, all numbers little-endian: "KSJOURN1", u64 length of the whole journal, u64 number of
/// entries; each entry: u32 length of the path, the path relative to the bundle (kBundleItself: the
/// bundle, where that is a file, and relative to its folder then), u64 size of that file, u64
/// offset, u64 length, the old bytes, the new bytes; at the end the SHA-256 of all before it.
/// Entries of one file follow each other, by ascending offset, and do not overlap.
namespace kernscope::patch {

inline constexpr std::string_view kBundleItself = ".";
/// What the paths of a journal are relative to, for the bundle (a folder or a file) at `bundle`.
std::filesystem::path journalBase(const std::filesystem::path &bundle);

inline constexpr std::string_view kJournalSuffix = ".kernscope-journal";

/// Where the journal of the bundle (a folder or a file) at `path` lies: beside it, links resolved.
/// The end of a name that has no room for the suffix is a digest of the name instead.
std::filesystem::path journalPath(const std::filesystem::path &path);

/// Changed runs of one file, as a journal keeps them.
struct JournalPart {
    std::string path; ///< as the journal names it
    const OverlaidFile *file = nullptr;
    std::vector<ByteRange> runs; ///< ascending, disjoint
};

/// A journal that was written: locked as long as this lives, so that a save that is going on is
/// not taken for an interrupted one.
struct WrittenJournal {
    OutputPlace place;
    std::string key; ///< its digest, which its key is named by
};

/// Writes it under another name, brings it to the disk, writes its key (save_key.h) and gives it
/// its own name, which must be free: a journal is never replaced.
/// Errors: "journal.pending" (there is one already), "io.write".
Result<WrittenJournal> writeJournal(const std::filesystem::path &journal,
                                    std::span<const JournalPart> parts);

/// Removes it, and its key after it. Errors: "io.write".
Result<void> removeJournal(const std::filesystem::path &journal, const std::string &key);

/// Whether a path stays below the folder that it is relative to.
bool staysInside(const std::filesystem::path &path);

/// A file that a journal names, and its size.
struct JournalledFile {
    std::string path; ///< as the journal names it
    std::uint64_t bytes = 0;
};

/// A run of bytes of one of these files.
struct JournalRun {
    std::uint32_t file = 0; ///< index into JournalIndex::files
    std::uint64_t offset = 0, bytes = 0;
    std::uint64_t at = 0; ///< of the old bytes in the journal; the new ones follow them
};

/// What a journal says, without the bytes: its memory goes with the number of runs.
struct JournalIndex {
    std::vector<JournalledFile> files;
    std::vector<JournalRun> runs; ///< by file, then offset
};

/// Reads exactly that many bytes at an offset of a journal.
using JournalReader = std::function<Result<void>(std::uint64_t, std::span<std::byte>)>;

inline constexpr std::size_t kJournalDigestBytes = 32;
/// Whether it is one at all, by its first bytes. Errors: as indexJournal.
Result<void> checkJournalHead(std::uint64_t size, const JournalReader &read);
/// The file of its first entry; nothing else is read. Errors: as indexJournal.
Result<JournalledFile> firstJournalled(std::uint64_t size, const JournalReader &read);
/// Reads the heads of a journal of `size` bytes, not the bytes that it keeps. Nothing is allocated
/// on its word alone: each run lies in its file and in the journal.
/// Errors: "journal.unknown" (no journal at all), "journal.damaged" (the digest is not looked at),
/// those of `read`.
Result<JournalIndex> indexJournal(std::uint64_t size, const JournalReader &read);

/// Checks the digest, streaming. Errors: "journal.damaged", "task.cancelled", those of `read`.
Result<void> checkJournalDigest(std::uint64_t size, const JournalReader &read, Progress *progress);

} // namespace kernscope::patch
