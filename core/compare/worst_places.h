// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"
#include "core/compare/pair_bins.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope {

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
    std::uint64_t chosenElements = 0;             ///< of which worstElements are the furthest apart
    std::optional<PairBins> bins;                 ///< of all elements, where asked for
};

/// Which elements are listed: all that differ, or those of a bar of the histogram of steps, or of a
/// bin of both values. A choice that names something also takes elements that are equal.
struct ElementChoice {
    /// Apart by so many steps of the type of A, first and last, as ValueDifference counts them; NaN
    /// against a number is further apart than any other.
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
    static constexpr std::size_t kMostChannels = 65536; ///< "all" of a weight that anybody reads

    std::size_t channels = 0, elements = 0; ///< at most so many of each
    bool bins = false;
    ElementChoice only = {}; ///< elements to list; channels and bins are of all
};

/// One pass over both weights; memory goes with what is wanted only. Elements and channels are
/// those of comparedWeight(). Errors: those of diff::PairReader::make, "task.cancelled". Takes the
/// files' locks itself, shared. Progress in elements.
Result<WorstPlaces> findWorstPlaces(const Bundle &a, const Bundle &b, const PairSides &sides,
                                    const PlacesWanted &wanted, Progress *progress = nullptr);

} // namespace kernscope
