// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/patch/patch.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

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
    /// with some unchanged bytes between, so that a large edit stays near its own size.
    std::vector<FileEdit> take();

private:
    using Runs = std::map<std::uint64_t, std::vector<std::byte>>; ///< start -> earlier bytes
    bool isScattered() const; ///< over more than kMostExactRuns exact runs

    std::vector<std::shared_ptr<OverlaidFile>> m_files;
    std::map<std::size_t, Runs> m_before; ///< by file; runs are disjoint and never adjacent
};

/// Writes the bytes after (forward) or before (backward) over the files, all or nothing.
/// Errors: "patch.conflict" where the files do not hold the other ones, those of the overlay.
Result<void> writeEdits(const Bundle &bundle, std::span<const FileEdit> edits, bool forward);

} // namespace kernscope::patch
