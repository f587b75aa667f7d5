// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/files.h"
#include "core/base/guarded_mapping.h"
#include "core/base/memory.h"

#include <map>
#include <mutex>
#include <shared_mutex>

namespace kernscope {

class BlockStore;

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
/// read as zero, changes stay), but what they find may be half old and half new: code that
/// makes an answer from `bytes()` calls `checkSame()` before giving it out, and drops it where that
/// fails. Readers on other threads hold `mutex()` shared while they read; `write` and `markSaved`
/// take it alone, so their caller must not hold it. The const queries never lock (a reader that
/// holds the mutex shared may call them); without it they are only safe on the thread that writes.
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
    /// The first `bytes` of an open file that has no path (ScratchFile). Error "io.map".
    static Result<std::shared_ptr<OverlaidFile>> withoutPath(int descriptor, std::size_t bytes,
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
    /// The same for a caller that has the bytes that are there now, `before`, in memory to share:
    /// where they are the disk's, no copy of them is made.
    Result<void> write(FileOffset offset, std::span<const std::byte> content,
                       const SharedBytes &before);

    /// Lays `content` over the file as what counts as the disk's bytes: for a save that was
    /// interrupted, shown as it will be when it is undone. Only while nothing is changed there.
    /// Errors: those of write.
    Result<void> restoreUnder(FileOffset offset, std::span<const std::byte> content);

    /// The same bytes with the same changes in an overlay of its own: for edits aside. Its cost
    /// goes with the pages changed, whose bytes on disk the two share; a file in memory is copied.
    /// The caller holds the mutex, or is the thread that writes. Errors: "patch.stale" where the
    /// file on disk is another one by now, those of open and write.
    Result<std::shared_ptr<OverlaidFile>> fork() const;

    /// Ascending, disjoint runs of bytes that differ from the disk. With `gap` 1 they are maximal
    /// and exact; otherwise runs with fewer than `gap` equal bytes between them are one. At most
    /// `most` of them, the first ones.
    std::vector<ByteRange> changedRanges(std::uint64_t gap = 1,
                                         std::size_t most = static_cast<std::size_t>(-1)) const;
    /// The same in whole blocks of 4,096 bytes, adjacent ones as one run: no byte is looked at, so
    /// that it costs next to nothing however much has changed.
    std::vector<ByteRange> changedBlocks() const;
    bool modified() const { return !m_originals.empty(); }
    /// True where any byte of `range` differs from the disk; O(log of changes) for short ranges.
    bool changed(ByteRange range) const;
    /// The byte as it is on disk, under the overlay. `offset` must lie in the file.
    std::byte diskByte(FileOffset offset) const;
    /// Bytes from `offset` as they are on disk, under the overlay. They must lie in the file.
    void readDisk(FileOffset offset, std::span<std::byte> out) const;
    /// The same without a copy, where each of their blocks has changed and the disk's bytes of all
    /// of them lie in one piece.
    std::optional<SharedBytes> sharedDisk(ByteRange range) const;
    /// Gives the memory of the changes back, in whole blocks inside of `range`: they must
    /// not be read any more, nor asked for. For a fork that is about to be thrown away.
    void giveUp(ByteRange range);
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
    /// Also fails where it was replaced: for callers that need the path to lead to this file.
    Result<void> checkInPlace() const;

    std::shared_mutex &mutex() const { return m_mutex; }

private:
    OverlaidFile() = default;
    static constexpr std::size_t kOriginalBlock = 4096;

    Result<void> checkInside(ByteRange range) const;
    Result<void> makeWritable(ByteRange range);
    /// `before`: null, or the current bytes of the range.
    void keepOriginals(ByteRange range, const SharedBytes *before);
    Result<void> writeOver(FileOffset offset, std::span<const std::byte> content,
                           const SharedBytes *before);
    void dropUnchanged(ByteRange range);
    /// The current bytes of the block that starts at `start`; the last one may be shorter.
    std::span<const std::byte> block(std::uint64_t start) const;
    /// Lays the changes of `other`, which has the same bytes on disk, over this file.
    Result<void> layChangesOf(const OverlaidFile &other);
    void takeStamp();
    Error changedError(const FileState &state) const;

    std::string m_name;
    std::filesystem::path m_path;
    mutable std::mutex m_stampMutex; ///< of the next two
    std::optional<FileStamp> m_stamp;
    FileStatusMark m_mark;
    std::span<const std::byte> m_bytes;
    GuardedMapping m_mapping;
    int m_descriptor = -1; ///< of the mapped file; -1 where too many are open
    std::vector<std::byte> m_memory;
    std::vector<ByteRange> m_restored; ///< what restoreUnder covered
    /// A block's bytes on disk, in memory that forks and planned edits may share.
    struct Original {
        std::shared_ptr<const void> owner;
        const std::byte *data = nullptr;
    };
    Original keptRun(std::uint64_t start, std::uint64_t end);
    std::span<const std::byte> bytesOf(std::uint64_t start, const Original &original) const
    {
        return {original.data, block(start).size()};
    }
    /// Start of a block (a multiple of kOriginalBlock) -> its bytes on disk, of every block that
    /// differs from the disk: memory goes with the pages touched, not with the number of changes.
    std::map<std::uint64_t, Original> m_originals;
    std::shared_ptr<BlockStore> m_store; ///< of originals of this file; null until one is kept
    mutable std::shared_mutex m_mutex;
};

} // namespace kernscope
