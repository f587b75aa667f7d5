// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/element_place.h"
#include "core/compare/byte_differences.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope {

/// A run of bytes of one side of a segment.
struct SegmentRun {
    std::size_t segment = kNoIndex;
    std::uint64_t first = 0, length = 0; ///< from where that side of the segment begins
    friend bool operator==(const SegmentRun &, const SegmentRun &) = default;
};

/// What one side has for a byte of the other side.
struct ByteCounterpart {
    enum class By : std::uint8_t {
        Element, ///< the same decoded elements, through the forms of both sides
        Entry,   ///< the same entry of the same part: a scale, an entry of a codebook
        Offset,  ///< the same byte of a section that belongs to no weight: a header, a line of text
    };
    By by = By::Offset;
    /// Index into Bundle::weights() of the other side, and of the side that was asked about.
    std::size_t weight = kNoIndex, otherWeight = kNoIndex;
    /// By elements: those that have bits in the byte, as the side of the byte numbers them, and
    /// those of the other side. The same but for parts of a split or merged weight.
    std::vector<std::uint64_t> elements, otherElements;
    /// Where they are stored on the other side, ascending; empty: nowhere (the program writes them
    /// as a literal, or has no such element, part or byte).
    std::size_t file = kNoIndex; ///< of the other side; Bundle::files()
    std::vector<SegmentRun> runs;
    /// Both sides store it alike: `sameByte` is the one byte over there that can be compared.
    bool byteForByte = false;
    SegmentRun sameByte;
};

/// Of the byte at `offset` of a segment on the side A (`ofA`) or B, what the other side has. Keeps
/// the orders of parts that lie in pieces; make a new one for other bytes. Reads the files: hold
/// their locks where edits may come in between. A masked side costs a walk of its mask.
class ByteCounterparts
{
public:
    ByteCounterparts() = default;
    explicit ByteCounterparts(AlignedBytesPtr bytes) : m_bytes(std::move(bytes)) {}

    ByteCounterpart of(std::size_t segment, std::uint64_t offset, bool ofA);

private:
    struct Sides;
    void byElement(const Sides &sides, const ByteOwner &owner, FileOffset offset,
                   ByteCounterpart &found);
    void comparePackedByte(const Sides &sides, const ByteOwner &owner, FileOffset offset,
                           ByteCounterpart &found) const;
    void byEntry(const Sides &sides, const ByteOwner &owner, FileOffset offset,
                 ByteCounterpart &found) const;
    void byOffset(const AlignedSegment &segment, std::size_t at, std::uint64_t offset, bool ofA,
                  ByteCounterpart &found) const;
    void add(const Sides &sides, const ElementBytes &place, ByteCounterpart &found) const;

    AlignedBytesPtr m_bytes;
    BoundOrder m_orderA, m_orderB;
};

} // namespace kernscope
