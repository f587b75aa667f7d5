// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/search/pattern.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kernscope::search {

/// Bytes to look at, in one go.
struct Region {
    std::size_t file = 0;
    ByteRange range; ///< lies in the file
};

/// All bytes of all files, or those of a weight's parts: ascending, none twice. Literals lie in no
/// file and are left out.
std::vector<Region> regionsOf(const Bundle &bundle, std::size_t weight);

/// Takes a hit by offset in the file and length; false: no more are wanted.
using TakeBytes = std::function<bool(std::uint64_t offset, std::uint64_t length)>;

/// Calls `take` for every place of the range of the file's bytes where the whole pattern lies and
/// fits, also where such places overlap. False where `take` or the progress (in bytes) wanted no
/// more.
bool scanPattern(std::span<const std::byte> bytes, ByteRange range, const BytePattern &pattern,
                 const TakeBytes &take, Progress *progress);

/// The same for the longest runs of zeros of at least `least` bytes.
bool scanZeros(std::span<const std::byte> bytes, ByteRange range, std::uint64_t least,
               const TakeBytes &take, Progress *progress);

} // namespace kernscope::search
