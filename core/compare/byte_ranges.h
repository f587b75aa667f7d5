// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/base/quantity.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kernscope {

/// How many bytes of two sides are not the same, apart by how: a figure of its own for each side,
/// so that none is larger than the file that it is of.
struct ByteTally {
    std::uint64_t changed = 0; ///< at matched places, with other values
    std::uint64_t onlyA = 0;   ///< without a counterpart in B
    std::uint64_t onlyB = 0;   ///< without a counterpart in A

    bool any() const { return changed > 0 || onlyA > 0 || onlyB > 0; }
    /// What counts in A, and in B: never more than the bytes that the side has.
    std::uint64_t inA() const { return changed + onlyA; }
    std::uint64_t inB() const { return changed + onlyB; }
    /// A byte that differs once, a byte that one side has alone once: may be more than either side.
    std::uint64_t total() const { return changed + onlyA + onlyB; }

    ByteTally &operator+=(const ByteTally &other)
    {
        changed += other.changed;
        onlyA += other.onlyA;
        onlyB += other.onlyB;
        return *this;
    }
    /// Runs of these lengths set against each other with nothing in common.
    static ByteTally of(std::uint64_t lengthA, std::uint64_t lengthB)
    {
        const std::uint64_t both = lengthA < lengthB ? lengthA : lengthB;
        return {both, lengthA - both, lengthB - both};
    }
    friend bool operator==(const ByteTally &, const ByteTally &) = default;
};

/// "3 bytes changed, 1,234 only in A"; "no byte differs".
std::string tallyText(const ByteTally &tally);

} // namespace kernscope

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
