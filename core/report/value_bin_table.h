// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/pair_bins.h"
#include "core/report/column.h"

#include <cstdint>
#include <vector>

namespace kernscope::report {

/// How many elements of two weights lie in a run of bins.
struct ValueBin {
    double from = 0, below = 0;
    std::uint64_t a = 0, b = 0;
};
/// At most 16 rows over the bins that hold anything.
std::vector<ValueBin> valueBins(const PairBins &bins);
/// `diff --histograms`
const TableOf<ValueBin> &valueBinTable();

} // namespace kernscope::report
