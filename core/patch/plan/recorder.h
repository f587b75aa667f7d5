// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/patch/patch.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kernscope::patch {

/// Writes through to the overlays of a bundle and remembers what was there, so that what was
/// written becomes a plan. Files are numbered as in Bundle::files().
class Recorder
{
public:
    /// `bundle` must outlive it; its files are written through.
    explicit Recorder(const Bundle &bundle);

    /// Errors: those of OverlaidFile::write.
    Result<void> write(std::size_t file, FileOffset offset, std::span<const std::byte> bytes);

    /// What changed since the last call: exactly the changed runs where they are few, else runs
    /// with some unchanged bytes between, so that a large edit stays near its own size. `last`: the
    /// files are not read any more; the memory of what was written is given back.
    std::vector<FileEdit> take(bool last = false);

private:
    /// What was written of a file.
    struct Written {
        std::map<std::uint64_t, std::uint64_t> runs; ///< start -> end; disjoint, never adjacent
        /// Start -> earlier bytes, of those that were not the disk's.
        std::map<std::uint64_t, std::vector<std::byte>> earlier;
    };
    void keepEarlier(Written &written, const OverlaidFile &file, ByteRange range) const;
    SharedBytes before(std::size_t file, ByteRange range) const;
    /// Calls `found(file, before, now)` for parts of what was written, with their places, until it
    /// gives false; what lies between them has not changed.
    template <class Found>
    void forEachPart(const Found &found) const;
    bool isScattered() const; ///< over more than kMostExactRuns exact runs

    std::vector<std::shared_ptr<OverlaidFile>> m_files;
    std::map<std::size_t, Written> m_written; ///< by file
};

/// Writes the bytes after (forward) or before (backward) over the files, all or nothing.
/// Errors: "patch.conflict" where the files do not hold the other ones, those of the overlay.
Result<void> writeEdits(const Bundle &bundle, std::span<const FileEdit> edits, bool forward);

/// The most changed runs of bytes that are listed, journalled and written one by one.
inline constexpr std::size_t kMostExactRuns = 4096;
/// Beyond that, runs closer than this become one, with the unchanged bytes between them: each costs
/// an entry of the journal and a call, however short it is. The first gap that leaves at most
/// kMostExactRuns is taken, else the last one (a page: the disk writes no less).
inline constexpr std::array<std::uint64_t, 3> kMergeGaps{128, 1024, 4096};

/// Runs closer than `gap` become one, in place.
void mergeRuns(std::vector<ByteRange> &runs, std::uint64_t gap);

/// The runs of a file that a save reports, journals and writes: what changed, and where that is
/// very scattered the bytes between. Ascending and disjoint; at most kMostExactRuns plus one for
/// every 4,096 bytes of the file.
std::vector<ByteRange> rangesToWrite(const OverlaidFile &file);

inline std::uint64_t wordAt(std::span<const std::byte> bytes, std::size_t at)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

/// The first place from `at` on where the two differ, or their end; eight bytes at a time.
inline std::size_t nextDifference(std::span<const std::byte> a, std::span<const std::byte> b,
                                  std::size_t at)
{
    while (at + sizeof(std::uint64_t) <= a.size() && wordAt(a, at) == wordAt(b, at))
        at += sizeof(std::uint64_t);
    while (at < a.size() && a[at] == b[at])
        ++at;
    return at;
}

/// The first place from `at` on where the two are equal, or their end.
inline std::size_t nextEqual(std::span<const std::byte> a, std::span<const std::byte> b,
                             std::size_t at)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;
    while (at + sizeof(std::uint64_t) <= a.size()) {
        const std::uint64_t differs = wordAt(a, at) ^ wordAt(b, at);
        if (((differs - kOnes) & ~differs & kHighs) != 0)
            break; // one of the eight is equal
        at += sizeof(std::uint64_t);
    }
    while (at < a.size() && a[at] != b[at])
        ++at;
    return at;
}

/// Calls `found(from, to)` for each run where the two differ, until it gives false.
template <class Found>
void forEachExactChange(std::span<const std::byte> before, std::span<const std::byte> now,
                        const Found &found)
{
    for (std::size_t from = nextDifference(before, now, 0); from < before.size();) {
        const std::size_t to = nextEqual(before, now, from);
        if (!found(from, to))
            return;
        from = nextDifference(before, now, to);
    }
}

/// The same with runs closer than `gap` as one.
template <class Found>
void forEachMergedChange(std::span<const std::byte> before, std::span<const std::byte> now,
                         std::size_t gap, const Found &found)
{
    std::size_t from = 0, to = 0; // of the open run
    forEachExactChange(before, now, [&](std::size_t first, std::size_t end) {
        if (to > from && first - to >= gap)
            found(from, to);
        if (to == from || first - to >= gap)
            from = first;
        to = end;
        return true;
    });
    if (to > from)
        found(from, to);
}

} // namespace kernscope::patch
