// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/base/quantity.h"
#include "core/diff/byte_tally.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kernscope::diff {

/// Where two files differ: ascending, disjoint, maximal runs, bytes past the shorter one's end
/// included in the last.
struct DifferentBytes {
    std::vector<ByteRange> ranges;
    bool cut = false; ///< more than `most` runs: the last one reaches to the end
};

/// Compares in blocks; nothing where `progress` (in bytes) was cancelled.
std::optional<DifferentBytes> findDifferentBytes(std::span<const std::byte> a,
                                                 std::span<const std::byte> b, std::size_t most,
                                                 Progress *progress);

/// Byte by byte from the start of both; what is past the end of the shorter one is on one side
/// only.
ByteTally differentBytes(std::span<const std::byte> a, std::span<const std::byte> b);

/// Whether two runs hold the same bytes; nothing where cancelled.
std::optional<bool> sameBytes(std::span<const std::byte> a, std::span<const std::byte> b,
                              Progress *progress);

/// The same for bytes that lie in runs, however each side is cut.
using ByteRuns = std::vector<std::span<const std::byte>>;
std::optional<bool> sameRuns(const ByteRuns &a, const ByteRuns &b, Progress *progress);

} // namespace kernscope::diff
