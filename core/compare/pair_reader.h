// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/decode/decoder.h"
#include "core/compare/compare.h"

namespace kernscope::diff {

/// Decoded elements [first, first + out.size()), those of plain integers of 64 bits included.
void decodeExact(const codec::Decoder &decoder, std::uint64_t first, std::span<ExactValue> out);

/// Decodes the same elements of two weights at the precision that loses nothing of either: fp16
/// where both types are held by it, doubles otherwise. Safe to share between threads. Hold the
/// files for reading.
class PairReader
{
public:
    /// The side of a slice is read at its elements, the other from its first to its last element.
    /// Errors: those of Bundle::decoder, "diff.shape" (also where a slice leaves its weight).
    static Result<PairReader> make(const Bundle &a, const Bundle &b, const PairSides &sides);

    std::uint64_t elements() const { return m_elements; }
    /// Element of a side's weight for one that is read.
    std::uint64_t elementOn(bool ofA, std::uint64_t element) const
    {
        return m_slice && m_sliceOfA == ofA ? m_slice->inWhole(element) : element;
    }
    const codec::Decoder &a() const { return m_a; }
    const codec::Decoder &b() const { return m_b; }
    /// Both types are exact in fp16: readHalves loses nothing.
    bool halves() const { return m_halves; }
    /// A type is fp64, whose squares doubles do not hold, or an integer of 64 bits, which they do
    /// not hold itself: figures are to be made of readExact.
    bool wide() const { return m_wide; }

    /// The same elements where they lie, if they are stored as fp16 one after the other, else
    /// decoded into `buffer`. Valid as long as the buffer stays as it is and the files are held.
    std::span<const std::uint16_t> halvesOf(bool ofA, std::uint64_t first, std::size_t count,
                                            std::vector<std::uint16_t> &buffer) const;
    void readDoubles(bool ofA, std::uint64_t first, std::span<double> out) const;
    void readDoubles(std::uint64_t first, std::span<double> a, std::span<double> b) const
    {
        readDoubles(true, first, a);
        readDoubles(false, first, b);
    }
    /// Codes as codec::Decoder::codes() gives them.
    void readCodes(bool ofA, std::uint64_t first, std::span<std::int64_t> out) const;
    void readExact(bool ofA, std::uint64_t first, std::span<ExactValue> out) const;

private:
    PairReader(codec::Decoder a, codec::Decoder b);
    template <class Read>
    void eachRun(bool ofA, std::uint64_t first, std::size_t count, const Read &read) const;
    /// `decode` gets the decoder of the side, an element and where its values go.
    template <class Value, class Decode>
    void readRuns(bool ofA, std::uint64_t first, std::span<Value> out, const Decode &decode) const;

    /// Where fp16 numbers of a side begin that can be read in place; null elsewhere.
    const std::uint16_t *storedHalves(bool ofA, std::uint64_t first, std::size_t count) const;

    codec::Decoder m_a, m_b;
    std::uint64_t m_elements = 0;
    std::optional<PartElements> m_slice;
    bool m_sliceOfA = false;
    bool m_halves = false, m_wide = false;
};

} // namespace kernscope::diff

namespace kernscope {

/// Values of two weights at the same elements: what a scatter shows and colours are scaled by.
/// Bounded whatever the size of the weights.
struct PairSample {
    static constexpr std::uint64_t kMost = 16384;

    std::vector<std::uint64_t> elements;
    std::vector<float> a, b;
    /// 99.5th percentile of the magnitudes of both sides: the value of the full colour. 1 where
    /// all are zero.
    double valueRange = 1;
    /// The same of the differences that are not zero; 0 where no sampled element differs.
    double differenceRange = 0;
    /// And of the differences over the value in A, where that is not zero: at most 1, which is as
    /// far off as the value is large; 0 where there is none.
    double relativeRange = 0;
    bool whole = false; ///< every element is in it

    /// No sample, and ranges of 0: every picture finds its own.
    static PairSample none() { return {{}, {}, {}, 0, 0, 0, false}; }
};

/// Short runs spread evenly over the weights, all of a small one; elements are those of
/// comparedWeight(). Errors: those of
/// diff::PairReader::make, "task.cancelled". Takes the locks of the files itself.
Result<PairSample> samplePair(const Bundle &a, const Bundle &b, const PairSides &sides,
                              Progress &progress);

/// The element after `from` whose two values differ, or the one before (`forward` false), as
/// comparedWeight() numbers them; without `from` the first or the last of all. Nothing: there is
/// none, or it was cancelled. Errors: those of diff::PairReader::make. Takes the locks of the files
/// itself.
Result<std::optional<std::uint64_t>> nextDifference(const Bundle &a, const Bundle &b,
                                                    const PairSides &sides,
                                                    std::optional<std::uint64_t> from, bool forward,
                                                    Progress &progress);

namespace diff {

/// PairSample::valueRange of the elements that a reader reads. Hold the files for reading.
double sampledRange(const PairReader &reader);

} // namespace diff

} // namespace kernscope
