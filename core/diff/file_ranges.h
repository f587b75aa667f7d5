// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/byte_alignment.h"
#include "core/diff/diff.h"

#include <optional>
#include <span>

namespace kernscope::diff {

/// Where the bytes of two files differ, each against what it is the same as: a part of a weight
/// against the same part, a line of text against the same line. Holds references.
class FileRanges
{
public:
    /// `pairs`: what pairWeights found.
    FileRanges(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs)
        : m_a(a), m_b(b), m_pairs(pairs)
    {
    }

    /// Fills in ranges and tally of a file that both sides have. Hold the locks of the files. False
    /// where cancelled.
    bool find(FileDifference &file, const Progress *progress);

private:
    bool add(FileDifference &file, const AlignedSegment &segment, std::span<const std::byte> a,
             std::span<const std::byte> b, const Progress *progress) const;

    const Bundle &m_a;
    const Bundle &m_b;
    std::span<const ComparedPair> m_pairs;
    std::optional<ByteAlignment> m_alignment; ///< made for the first file
};

} // namespace kernscope::diff
