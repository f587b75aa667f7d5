// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

namespace kernscope {

/// How much of a weight its mask keeps, or of a weight without one: how much does not decode to
/// zero; in all and for each output channel.
struct MaskFigures {
    std::uint64_t kept = 0, elements = 0;
    std::uint64_t survivors = 0;         ///< values stored; masks only
    std::vector<std::uint64_t> channels; ///< kept of each; empty where there are too many to plot
    std::uint64_t perChannel = 0;        ///< elements of each channel

    /// Reads the whole weight, under a BundleReadLock. Progress in elements.
    /// Errors: those of Bundle::decoder, "task.cancelled".
    static Result<MaskFigures> compute(const Bundle &bundle, std::size_t weight,
                                       Progress &progress);
    /// Share of the elements that are kept, 0 to 1.
    double density() const
    {
        return elements == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(elements);
    }
};

} // namespace kernscope
