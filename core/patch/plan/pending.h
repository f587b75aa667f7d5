// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/base/quantity.h"

#include <array>

namespace kernscope::patch {

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
