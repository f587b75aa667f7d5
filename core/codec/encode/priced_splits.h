// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/kernels/split_kernels.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Private to the codec: one best clustering into many clusters, without the rows of the dynamic
/// programme that lead up to it.
namespace kernscope::codec {

struct PricedSplits {
    std::vector<std::uint32_t> bounds; ///< 0, the splits, the number of values
    double error = 0;                  ///< the bits that the rows have
};

/// What is clustered. The sums are in one part (RunningSums::sumRest is null).
struct PricedProblem {
    RunningSums sums;
    RunCentre centre = RunCentre::Mean;
    std::size_t count = 0;    ///< of values
    std::size_t clusters = 2; ///< at most `count`
    double squares = 0;       ///< sum of mass x value² of all: what rounding is in proportion to
    double knownError = 0;    ///< least error of `knownClusters`, by which the price is guessed
    std::size_t knownClusters = 1;
};

/// The clustering that the rows of split_kernels.h lead to: of least error, of equally good ones
/// the one that splits earliest.
///
/// Each cluster is given a price at which the cheapest clustering has as many as are asked for. By
/// the cheapest clusterings of what lies before and behind it, each split says whether it can lie
/// in a best clustering; among the few that can (more than one where several are equally good,
/// within rounding) the rows are filled. O(n log n) steps a price, of which a few are tried, and
/// O(n) memory. Empty where so many clusterings are equally good that the rows are the quicker way.
std::optional<PricedSplits> pricedSplits(const PricedProblem &problem);

} // namespace kernscope::codec
