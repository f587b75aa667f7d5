// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/byte_differences.h"
#include "core/compare/codebook_match.h"
#include "core/compare/worst_places.h"
#include "core/report/column.h"

/// Where the weights of a pair differ: by channel, by element and by entry of a codebook, as
/// `diff --worst` and `diff --codebooks` and the docks of the window list them.
namespace kernscope::report {

extern const TableOf<ChannelDifference> channelTable;

/// An element with its value on either side.
struct ElementFacts {
    ElementPair pair;
    std::vector<std::uint64_t> place;     ///< its index along every axis
    ElementType type = ElementType::Fp16; ///< of A: what a ULP is
    bool operator==(const ElementFacts &) const = default;
};
/// `shape` and `type` are those of A; of a part those of the part.
std::vector<ElementFacts> elementRows(const WorstPlaces &worst, const Shape &shape,
                                      ElementType type);
extern const TableOf<ElementFacts> elementTable;

/// An entry of a codebook of A with what its elements take in B.
struct EntryFacts {
    const CodebookMatch *match = nullptr;
    std::size_t entry = 0;

    const EntryMatch &get() const { return match->entries[entry]; }
};
std::vector<EntryFacts> entryRows(const CodebookMatch &match);
extern const TableOf<EntryFacts> entryTable;

// The ranges of bytes in which two bundles differ, as `diff --ranges` and the bytes side by side
// list them.

/// A run of bytes that differs, with what it is on either side.
struct RangeFacts {
    enum class State : std::uint8_t { Changed, Otherwise, OnlyA, OnlyB };

    DifferenceRun run; ///< as ByteDifferences numbers it
    State state = State::Changed;
    std::string file; ///< as A calls it, or B where A has none
    std::string part; ///< section: "conv1_weight: data"
    std::string weight;
    std::optional<std::uint64_t> offsetA, offsetB; ///< in the files; empty: nothing on that side
    std::uint64_t bytesA = 0, bytesB = 0;
    /// First and last element that have bits in it, as the weight of A (or of B alone) numbers
    /// them; empty for headers, codebooks, scales.
    std::optional<std::uint64_t> firstElement, lastElement;
    std::string elements; ///< "[0,3] to [1,2]"
};

struct RangeList {
    static constexpr std::size_t kMostRanges = 10000;
    std::vector<RangeFacts> rows; ///< in the order of the alignment
    bool cut = false;             ///< there are more than `most`
};
/// The first `most` ranges. Reads what lies before the last of them once; takes the locks of the
/// files itself. Nothing where cancelled. Progress in ranges.
std::optional<RangeList> differentRanges(const AlignedBytes &bytes,
                                         const ByteDifferences &differences, std::size_t most,
                                         Progress &progress);
extern const TableOf<RangeFacts> rangeTable;

/// How many elements of two weights lie in a run of bins.
struct ValueBin {
    double from = 0, below = 0;
    std::uint64_t a = 0, b = 0;
};
/// At most 16 rows over the bins that hold anything.
std::vector<ValueBin> valueBins(const PairBins &bins);
/// `diff --histograms`
extern const TableOf<ValueBin> valueBinTable;

} // namespace kernscope::report
