// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/overlaid_file.h"
#include "core/base/quantity.h"
#include "core/bundle/bundle_fwd.h"
#include "core/patch/patch.h"

#include <array>

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

} // namespace kernscope::patch
