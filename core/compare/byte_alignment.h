// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/kinds.h"
#include "core/compare/compare.h"

#include <atomic>
#include <mutex>

namespace kernscope {

class ByteAlignment;

/// Which of all elements the kept values of a masked weight are. Reads the mask when it is first
/// asked, once, and keeps a number for 512 bytes of it. For use from any thread; hold the locks of
/// the files where edits may come in between.
class KeptPlaces
{
public:
    /// The mask has a bit for each element, in their order, and a place in the files.
    KeptPlaces(BundlePtr bundle, std::size_t weight);

    /// Values kept of the elements before this one.
    std::uint64_t keptBefore(std::uint64_t element) const;
    /// The element that the kept value of this number is; elements() past the last one.
    std::uint64_t elementOf(std::uint64_t kept) const;
    std::uint64_t elements() const { return m_elements; }
    /// Reads the mask now. False where cancelled: the next who asks reads it. Advances by
    /// elements() in all.
    bool count(Progress &progress) const;
    bool counted() const { return m_counted.load(std::memory_order_acquire); }

private:
    std::span<const std::byte> mask() const;

    BundlePtr m_bundle;
    std::size_t m_weight;
    std::uint64_t m_elements;
    mutable std::atomic<bool> m_counted{false};
    mutable std::mutex m_mutex;                  ///< of the one walk
    mutable std::vector<std::uint64_t> m_before; ///< kept before each step of the mask
};

/// A segment where one side has the values that a mask keeps and the other side all values.
struct KeptSide {
    bool keptIsA = false;
    std::uint64_t bytesA = 0, bytesB = 0; ///< of one value
    std::shared_ptr<const KeptPlaces> places;

    std::uint64_t bytes(bool ofA) const { return ofA ? bytesA : bytesB; }
};
/// By index of the segment.
using KeptSides = std::map<std::size_t, KeptSide>;

/// The segments whose values can be set against each other element by element: both sides store
/// whole bytes a value, row by row, and the mask has a bit for each. Costs the tables.
KeptSides findKeptSides(const BundlePtr &a, const BundlePtr &b, const ByteAlignment &alignment);
/// Reads the masks that are too large to be read when a row of theirs is first asked for. False
/// where cancelled. Hold the locks of the files. Sets the total of the progress.
bool countLargeMasks(const KeptSides &sides, Progress &progress);

/// A run of bytes of both sides set against each other, byte by byte from its start. A length of 0:
/// the run is missing on that side. Offsets in the file.
struct AlignedSegment {
    std::uint64_t firstA = 0, lengthA = 0, firstB = 0, lengthB = 0;
    bool text = false; ///< a line of text: what differs lies between prefix and suffix
    std::uint64_t prefix = 0, suffix = 0;
    std::uint32_t section = 0; ///< index into ByteAlignment::sections()
    /// The elements have other widths on either side: every byte counts as different.
    bool otherwise = false;
    /// Bytes of either side that hold the same elements, where they lie in the same order: 2 and 1
    /// of fp16 against int8. 1 and 1: byte against byte.
    std::uint32_t unitA = 1, unitB = 1;

    std::uint64_t length() const { return lengthA > lengthB ? lengthA : lengthB; }
    std::uint64_t lengthOn(bool ofA) const { return ofA ? lengthA : lengthB; }
    bool stretched() const { return unitA != unitB; }
    /// Offsets without a side are those of the longer one.
    bool longerIsA() const { return lengthA >= lengthB; }
};

/// A section of one side or of both: a header, a record, a part of a weight, a program.
struct AlignedSection {
    std::string name; ///< as A calls it, or B where A has none
    SectionKind kind = SectionKind::Unknown;
    std::size_t a = kNoIndex, b = kNoIndex; ///< index into Bundle::sections()
    ByteRange rangeA, rangeB;
    std::uint32_t file = 0; ///< index into ByteAlignment::files()
    std::size_t firstSegment = 0, segments = 0;
};

struct AlignedFile {
    std::size_t a = kNoIndex, b = kNoIndex; ///< index into Bundle::files()
    std::string pathA, pathB;               ///< empty where there is none
    std::size_t firstSection = 0, sections = 0;
};

/// The bytes of two bundles side by side: files by path, sections by what they belong to (the same
/// part of the paired weight, the same place between such), lines of text by what they say. What
/// one side has alone stands in the order of that side. Costs the sections and the lines of text.
class ByteAlignment
{
public:
    ByteAlignment() = default;
    /// `pairs`: what pairWeights found. Reads text files: hold the locks of the files.
    ByteAlignment(const Bundle &a, const Bundle &b, std::span<const ComparedPair> pairs);

    const std::vector<AlignedFile> &files() const { return m_files; }
    const std::vector<AlignedSection> &sections() const { return m_sections; }
    const std::vector<AlignedSegment> &segments() const { return m_segments; }
    const AlignedFile &fileOf(const AlignedSegment &segment) const
    {
        return m_files[m_sections[segment.section].file];
    }
    bool empty() const { return m_segments.empty(); }
    /// The weight of B that is paired with one of A (or the other way round); kNoIndex: none.
    std::size_t partner(bool ofA, std::size_t weight) const
    {
        const std::vector<std::size_t> &partners = ofA ? m_partnersOfA : m_partnersOfB;
        return weight < partners.size() ? partners[weight] : kNoIndex;
    }
    /// Parts of split and merged weights, which have no partner().
    const std::vector<PairSides> &sliced() const { return m_sliced; }

    /// Segment that holds a byte of a file of A (or B), with the distance from its start; the
    /// segment is kNoIndex where there is none. O(segments).
    struct Place {
        std::size_t segment = kNoIndex;
        std::uint64_t offset = 0;
    };
    Place placeOf(bool ofA, std::size_t file, std::uint64_t offset) const;

private:
    friend class ByteAligner;
    std::vector<AlignedFile> m_files;
    std::vector<AlignedSection> m_sections;
    std::vector<AlignedSegment> m_segments;
    std::vector<std::size_t> m_partnersOfA, m_partnersOfB;
    std::vector<PairSides> m_sliced;
};

} // namespace kernscope

namespace kernscope::diff {

/// A file of each side, or of one of them: indices into Bundle::files().
struct FilePair {
    std::size_t a = kNoIndex, b = kNoIndex;
};

/// The files of two bundles in pairs: by path; then by the last name among files of one role (a
/// compiled bundle against its package); then the only two left of a role (weight files of any
/// name). In the order of A, then what only B has.
std::vector<FilePair> pairFiles(const Bundle &a, const Bundle &b);

/// Whether a part of a weight stores the elements themselves: values, indices or kept values, which
/// are the same thing in two forms.
bool storesElements(const Weight &weight, const codec::Operand &operand);

/// Sets whether the elements of a segment are as wide on both sides, and how its bytes then lie:
/// AlignedSegment::otherwise and its units. `sectionA`, `sectionB`: the sections that it is made
/// of, indices into Bundle::sections().
void setWidths(const Bundle &a, std::size_t sectionA, const Bundle &b, std::size_t sectionB,
               AlignedSegment &segment);

} // namespace kernscope::diff
