// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/compare/pair_reader.h"

#include <cstdint>
#include <vector>

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

namespace diff {

/// PairSample::valueRange of the elements that a reader reads. Hold the files for reading.
double sampledRange(const PairReader &reader);

} // namespace diff

} // namespace kernscope
