// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kernscope {

/// All elements of two weights counted by their values: the histogram of each side, and both values
/// of an element together. Linear bins about 0 whose width is a power of two; an element counts
/// once in every part that it belongs to, so that the sums are exact.
struct PairBins {
    static constexpr std::size_t kBins = 256; ///< of an axis; bin kBins / 2 begins at 0
    static constexpr std::uint64_t kNoElement = std::numeric_limits<std::uint64_t>::max();

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
    PairBins take();

private:
    void widenFor(std::span<const double> values);
    void widen();
    void addOne(std::uint64_t element, double a, double b);

    PairBins m_bins;
    int m_widenings = 2; ///< left
};

} // namespace diff

} // namespace kernscope
