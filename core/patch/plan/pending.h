// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/base/quantity.h"

#include <cstddef>
#include <vector>

namespace kernscope::patch {

/// Up to so many changed runs of bytes are listed and written one by one.
inline constexpr std::size_t kMostExactRuns = 4096;
/// Beyond that, runs closer than this become one, with the unchanged bytes between them: each costs
/// a line of the journal and a call, however short it is.
inline constexpr std::size_t kMergeGap = 128;

/// The runs of a file that a save writes: what changed, and where that is very scattered the bytes
/// between. Ascending and disjoint.
std::vector<ByteRange> rangesToWrite(const OverlaidFile &file);

/// The bytes on disk under such a run.
std::vector<std::byte> bytesOnDisk(const OverlaidFile &file, ByteRange range);

} // namespace kernscope::patch
