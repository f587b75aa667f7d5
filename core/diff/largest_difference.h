// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <cstdint>
#include <optional>

namespace kernscope {

/// Where two weights are furthest apart.
struct LargestDifference {
    std::uint64_t element = 0;
    float a = 0, b = 0;
};

/// The first element whose values differ most (one that is not a number on one side only is more
/// than any difference); nothing where all are equal. Reads both weights once, in blocks. Errors:
/// those of Bundle::decoder, "task.cancelled". Progress in elements. Takes the locks itself.
Result<std::optional<LargestDifference>> findLargestDifference(const Bundle &a, std::size_t weightA,
                                                               const Bundle &b, std::size_t weightB,
                                                               Progress &progress);

} // namespace kernscope
