// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/diff/byte_differences.h"
#include "core/report/column.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The ranges of bytes in which two bundles differ, as `diff --ranges` and the bytes side by side
/// list them.
namespace kernscope::report {

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
/// "changed", "stored otherwise", "only in A", "only in B".
std::string_view rangeStateName(RangeFacts::State state);

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
const TableOf<RangeFacts> &rangeTable();

} // namespace kernscope::report
