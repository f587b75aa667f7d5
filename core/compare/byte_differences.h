// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/element_place.h"
#include "core/compare/byte_alignment.h"
#include "core/compare/byte_ranges.h"

namespace kernscope {

/// Two bundles with their bytes aligned: what the views of bytes share.
struct AlignedBytes {
    BundlePtr a, b;
    ByteAlignment alignment;
    /// Segments of kept values against all values; null: none is looked for.
    std::shared_ptr<const KeptSides> kept = nullptr;

    /// Bytes of one side of a segment, through the overlay.
    std::span<const std::byte> bytesA(const AlignedSegment &segment) const;
    std::span<const std::byte> bytesB(const AlignedSegment &segment) const;
};
using AlignedBytesPtr = std::shared_ptr<const AlignedBytes>;
/// Of pairs that pairWeights found. Takes the locks of the files itself.
AlignedBytes alignBytes(const BundlePtr &a, const BundlePtr &b,
                        std::span<const ComparedPair> pairs);

/// One difference: a run of bytes of a segment.
struct DifferenceRun {
    std::size_t segment = kNoIndex;
    std::uint64_t first = 0, length = 0; ///< from the start of the segment
    std::uint64_t end() const { return first + length; }
    friend bool operator==(const DifferenceRun &, const DifferenceRun &) = default;
};

/// How many bytes differ in each stretch of the aligned bytes: a few thousand numbers whatever the
/// size of the files, and one for every line of text that differs. With it the next difference is
/// found by reading one stretch.
class ByteDifferences
{
public:
    /// Runs nearer to each other than this are one difference.
    static constexpr std::uint64_t kJoin = 16;

    struct Block {
        std::size_t segment = 0;
        std::uint64_t first = 0, length = 0; ///< from the start of the segment
        std::uint64_t different = 0;
    };

    ByteDifferences() = default;
    /// Reads both sides once. Nothing where cancelled. Progress in bytes of the longer side. Takes
    /// the locks of the files itself.
    static std::optional<ByteDifferences> find(const AlignedBytes &bytes, Progress &progress);

    /// Stretches that hold a difference, in order.
    const std::vector<Block> &blocks() const { return m_blocks; }
    const ByteTally &tally() const { return m_tally; }
    const ByteTally &tallyOf(std::size_t section) const { return m_bySection[section]; }

    /// The first difference that begins after `offset` of `segment` and outside the difference
    /// that holds it; the last one that begins before. Reads a few MiB at most.
    std::optional<DifferenceRun> next(const AlignedBytes &bytes, std::size_t segment,
                                      std::uint64_t offset) const;
    std::optional<DifferenceRun> previous(const AlignedBytes &bytes, std::size_t segment,
                                          std::uint64_t offset) const;
    /// All of them in order, up to `most`; runs that touch are one. Hold the locks of the files.
    /// Nothing where cancelled; the progress is asked, not advanced.
    struct Runs {
        std::vector<DifferenceRun> runs;
        bool cut = false; ///< there are more
    };
    std::optional<Runs> list(const AlignedBytes &bytes, std::size_t most,
                             const Progress &progress) const;
    /// The first one of a section of the alignment. Like the others it reads the files: hold their
    /// locks.
    std::optional<DifferenceRun> firstIn(const AlignedBytes &bytes, std::size_t section) const;
    /// The first and the last of all.
    std::optional<DifferenceRun> first(const AlignedBytes &bytes) const;
    std::optional<DifferenceRun> last(const AlignedBytes &bytes) const;

private:
    std::size_t blockOf(std::size_t segment, std::uint64_t offset) const;
    std::optional<DifferenceRun> firstFrom(const AlignedBytes &bytes, std::size_t block,
                                           std::uint64_t offset) const;
    std::optional<DifferenceRun> lastBefore(const AlignedBytes &bytes, std::size_t block,
                                            std::uint64_t offset) const;

    std::vector<Block> m_blocks;
    std::vector<ByteTally> m_bySection;
    ByteTally m_tally;
};

/// Whether the byte at `offset` of a segment counts as different (also where one side ends).
bool byteDiffers(const AlignedBytes &bytes, const AlignedSegment &segment, std::uint64_t offset,
                 bool ofA);

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
