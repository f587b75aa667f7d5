// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

namespace kernscope {

/// All elements of two weights counted by their values: the histogram of each side, and both values
/// of an element together. Linear bins about 0 whose width is a power of two; an element counts
/// once in every part that it belongs to, so that the sums are exact.
struct PairBins {
    static constexpr std::size_t kBins = 256; ///< of an axis; bin kBins / 2 begins at 0
    static constexpr std::uint64_t kNoElement = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::size_t kMostFar = 64;

    double width = 0;                         ///< of a bin; 0: nothing was counted
    std::vector<std::uint64_t> a;             ///< elements by the value in A, kBins
    std::vector<std::uint64_t> b;             ///< and in B
    std::uint64_t outsideA = 0, outsideB = 0; ///< finite, beyond the bins
    std::uint64_t notFiniteA = 0, notFiniteB = 0;
    std::vector<std::uint64_t> both;  ///< not zero in either: [bin of B][bin of A], kBins * kBins
    std::vector<std::uint64_t> first; ///< the first element of each of `both`, or kNoElement
    std::vector<std::uint64_t> zeroed, firstZeroed;   ///< zero in B only, by the value in A
    std::vector<std::uint64_t> revived, firstRevived; ///< zero in A only, by the value in B
    std::uint64_t zeros = 0;                          ///< zero in both
    std::uint64_t outside = 0;                        ///< finite in both, beyond the bins in one
    std::vector<ElementPair> far;                     ///< the first kMostFar of `outside`
    std::uint64_t notFinite = 0;                      ///< in one of the two at least

    /// Lower edge of a bin; of kBins the upper edge of the last.
    double edge(std::size_t bin) const
    {
        return (static_cast<double>(bin) - static_cast<double>(kBins / 2)) * width;
    }
    /// The bin of a finite value; nothing where it lies beyond them.
    std::optional<std::size_t> binOf(double value) const;
    /// First and last bin in which either side has elements; nothing where there is none.
    std::optional<std::pair<std::size_t, std::size_t>> occupied() const;
};

namespace diff {

/// Counts runs of elements into bins. The bins begin as wide as `range` needs (a magnitude that
/// most values keep within) and double, twice at most, where values lie beyond them.
class PairBinner
{
public:
    /// `range`: not negative, finite.
    explicit PairBinner(double range);

    /// Elements [first, first + a.size()) of either side; `b` is as long as `a`.
    void add(std::uint64_t first, std::span<const double> a, std::span<const double> b);
    PairBins take() { return std::move(m_bins); }

private:
    void widenFor(std::span<const double> values);
    void widen();
    void addOne(std::uint64_t element, double a, double b);

    PairBins m_bins;
    int m_widenings = 2; ///< left
};

} // namespace diff

/// B against A in one output channel (an index of axis 0).
struct ChannelDifference {
    std::uint64_t channel = 0;
    std::uint64_t elements = 0, different = 0;
    std::uint64_t changed = 0, zeroed = 0, revived = 0; ///< as ValueDifference; their sum differs
    std::uint64_t worst = 0; ///< the first element of the largest difference
    double maxAbs = 0;       ///< infinite where an element is not finite on one side only
    double rmse = 0;         ///< over the elements finite in both
    double snr = 0;          ///< dB; infinite without an error
};

/// Where two weights are furthest apart.
struct WorstPlaces {
    std::uint64_t channels = 0, differentChannels = 0;
    std::vector<ChannelDifference> worstChannels; ///< largest maxAbs first, equal ones in order
    std::vector<ElementPair> worstElements;       ///< largest |a - b| first, equal ones in order
    std::uint64_t chosenElements = 0;             ///< worstElements are the furthest apart of these
    std::optional<PairBins> bins;                 ///< of all elements, where asked for
};

/// Which elements are listed: all that differ, or those of a bar of the histogram of steps, or of a
/// bin of both values. A choice that names something also takes elements that are equal.
struct ElementChoice {
    /// Distance in steps of the type of A, from `first` to `last`, as ValueDifference counts them;
    /// NaN against a number is further apart than any other.
    struct Steps {
        std::uint64_t first = 0, last = 0;
    };
    /// Not zero, and from `from` to below `below`; or zero.
    struct Values {
        double from = 0, below = 0;
        bool zero = false;
        bool hold(double value) const
        {
            return zero ? value == 0 : value != 0 && value >= from && value < below;
        }
    };
    std::optional<Steps> steps;
    std::optional<Values> a, b; ///< of either side

    bool any() const { return steps || a || b; }
    bool holds(ElementType typeOfA, ExactValue valueA, ExactValue valueB) const;
};

/// What findWorstPlaces() is asked for.
struct PlacesWanted {
    static constexpr std::size_t kMostChannels = 65536; ///< more than any report lists

    std::size_t channels = 0, elements = 0; ///< the most of each that are listed
    bool bins = false;
    ElementChoice only = {}; ///< elements to list; channels and bins are of all
};

/// One pass over both weights; memory goes with what is wanted only. Elements and channels are
/// those of comparedWeight(). Errors: those of diff::PairReader::make, "task.cancelled". Takes the
/// files' locks itself, shared. Progress in elements.
Result<WorstPlaces> findWorstPlaces(const Bundle &a, const Bundle &b, const PairSides &sides,
                                    const PlacesWanted &wanted, Progress *progress = nullptr);

} // namespace kernscope
