// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/file_stamp.h"
#include "core/base/guarded_mapping.h"
#include "core/base/quantity.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

namespace kernscope {

/// How the file on disk stands against what was mapped of it.
struct FileState {
    enum class Kind : std::uint8_t {
        Same,
        Replaced, ///< another file, or none, has its place; what was mapped reads as before
        Changed,  ///< the mapped file itself was written or cut: what is read may be old or new
    };
    Kind kind = Kind::Same;
    std::optional<FileStamp> found; ///< of the file at the path now; of the mapped one if changed
    ByteRange range;                ///< Changed: the bytes that do not read as they did
};

/// A file mapped read-only and privately, with the changes that would be saved laid over it.
///
/// `bytes()` always shows what a save would write. A change copies only the touched pages, so the
/// file on disk is never written through the mapping, opening costs nothing that grows with the
/// file, and every reader of `bytes()` sees the change at once.
///
/// Another program may write, cut or replace the file meanwhile. Reads survive that (lost bytes
/// read as zero, changes stay), but what they find may be half old and half new: whoever made an
/// answer from `bytes()` calls `checkSame()` before giving it out, and drops it where that fails.
/// Readers on other threads hold `mutex()` shared while they read; `write` and `markSaved` take it
/// alone, so their caller must not hold it. The const queries never lock (a reader that holds the
/// mutex shared may call them); without it they are only safe on the thread that writes.
class OverlaidFile
{
public:
    /// Maps `path`. `name` is what errors call the file (its path relative to the bundle).
    /// Errors: "io.open", "io.map"; a folder or a device is refused.
    static Result<std::shared_ptr<OverlaidFile>> open(const std::filesystem::path &path,
                                                      std::string name);
    /// A file that exists in memory only (the embedded sample, tests).
    static std::shared_ptr<OverlaidFile> fromMemory(std::vector<std::byte> content,
                                                    std::string name);

    ~OverlaidFile();
    OverlaidFile(const OverlaidFile &) = delete;
    OverlaidFile &operator=(const OverlaidFile &) = delete;

    const std::string &name() const { return m_name; }
    const std::filesystem::path &path() const { return m_path; } ///< empty for a file in memory
    ByteCount size() const { return ByteCount(m_bytes.size()); }
    std::span<const std::byte> bytes() const { return m_bytes; }

    /// Lays `content` over the file at `offset`. Bytes that equal the disk's stop being changes.
    /// Errors: "patch.range" where it would leave the file, "io.map" where memory is refused.
    Result<void> write(FileOffset offset, std::span<const std::byte> content);

    /// Ascending, disjoint, maximal runs of bytes that differ from the disk.
    std::vector<ByteRange> changedRanges() const;
    bool modified() const { return !m_originals.empty(); }
    /// True where any byte of `range` differs from the disk; O(log of changes).
    bool changed(ByteRange range) const;
    /// The byte as it is on disk, under the overlay. `offset` must lie in the file.
    std::byte diskByte(FileOffset offset) const;
    /// Bytes on disk under one of changedRanges(), as one run; empty for any other range. Valid
    /// until the next write.
    std::span<const std::byte> diskBytes(ByteRange changedRange) const;
    /// What is laid over the file is on disk now: nothing is changed any more.
    void markSaved();
    /// The file on disk was written and holds again what was mapped: only its stamp is new.
    void restamp();

    /// Of the file on disk when it was mapped or last marked as saved; empty for one in memory.
    const std::optional<FileStamp> &stamp() const { return m_stamp; }
    /// Of the file at `path` now; empty where there is none.
    static std::optional<FileStamp> stampOf(const std::filesystem::path &path)
    {
        return FileStamp::of(path);
    }

    /// Asks the system how the file stands now. From any thread; needs no lock.
    FileState state() const;
    /// Error "io.changed" (file, range, stamp then and now) where the mapped file was changed.
    Result<void> checkSame() const;
    /// The same where it was replaced: for whoever must know that the path still leads here.
    Result<void> checkInPlace() const;

    std::shared_mutex &mutex() const { return m_mutex; }

private:
    OverlaidFile() = default;
    void takeStamp();
    Error changedError(const FileState &state) const;
    Result<void> makeWritable(FileOffset offset, ByteCount bytes);
    void keepOriginals(FileOffset offset, ByteCount bytes);
    void dropUnchanged(FileOffset offset, ByteCount bytes);

    std::string m_name;
    std::filesystem::path m_path;
    mutable std::mutex m_stampMutex; ///< of the next two
    std::optional<FileStamp> m_stamp;
    FileStatusMark m_mark;
    std::span<const std::byte> m_bytes;
    GuardedMapping m_mapping;
    int m_descriptor = -1; ///< of the mapped file; -1 where too many are open
    std::vector<std::byte> m_memory;
    /// start of a changed run -> its bytes on disk; runs are disjoint, never adjacent, and differ
    /// from the disk in every byte.
    std::map<std::uint64_t, std::vector<std::byte>> m_originals;
    mutable std::shared_mutex m_mutex;
};

} // namespace kernscope
