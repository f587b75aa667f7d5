// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"

#include <array>

namespace kernscope {

/// Figures of the decoded tensor of one weight, at the precision of its type: fp32 as fp32. min,
/// max, mean and standard deviation are over the finite values: of none where finite() is 0.
struct Statistics {
    std::uint64_t elements = 0, zeros = 0, nan = 0, inf = 0;
    std::uint64_t finite() const { return elements - nan - inf; }
    double min = 0, max = 0, mean = 0, standardDeviation = 0;
    double zeroFraction() const
    {
        return elements == 0 ? 0.0 : static_cast<double>(zeros) / static_cast<double>(elements);
    }
    /// Different values, -0 counted as 0 and all NaN as one; empty unless asked for, and above
    /// kMostDistinct values of a type that fp16 does not hold.
    std::optional<std::uint64_t> distinct;
    static constexpr std::uint64_t kMostDistinct = std::uint64_t{1} << 20;
    std::string sha256; ///< of the contiguous little-endian fp16; empty unless asked for
};

struct StatisticsOptions {
    bool figures = true;
    bool hash = false;
    bool distinct = false; ///< with `figures`
};

/// The hash is that of the values rounded to fp16. Reads, decodes and (if asked) hashes the weight
/// once, in blocks; memory does not grow with it. Errors: those of Bundle::decoder,
/// "task.cancelled". Progress in elements.
Result<Statistics> computeStatistics(const Bundle &bundle, std::size_t weight,
                                     const StatisticsOptions &options,
                                     Progress *progress = nullptr);

/// Figures of every weight, worked out on all processors.
struct AllStatistics {
    std::vector<std::optional<Statistics>> weights; ///< empty: has a fault, or was not reached
    Diagnostics diagnostics;                        ///< weights that could not be decoded
};
/// Stops early where the progress is cancelled. Progress in elements.
AllStatistics computeAllStatistics(const Bundle &bundle, const StatisticsOptions &options,
                                   Progress *progress = nullptr);

/// Counts of the finite decoded values in equal bins from `low` to `high`; outer values go to the
/// outer bins.
struct Histogram {
    double low = 0, high = 0;
    std::vector<std::uint64_t> bins;
};
Result<Histogram> computeHistogram(const Bundle &bundle, std::size_t weight, std::size_t bins,
                                   Progress *progress = nullptr);

/// Stored elements of each index of axis 0 (output channel): numerator of the density. Of a weight
/// without a mask: the elements that do not decode to zero. Progress in elements.
Result<std::vector<std::uint64_t>> channelDensity(const Bundle &bundle, std::size_t weight,
                                                  Progress *progress = nullptr);

/// Payload checks of one weight; of one that cannot be decoded, why. Progress in elements.
Diagnostics verifyPayload(const Bundle &bundle, std::size_t weight, Progress *progress = nullptr);
/// Why the values behind a mask are not known: it does not fit them ("codec.mask").
std::optional<Error> maskFault(const Bundle &bundle, std::size_t weight);
/// Payload checks of every weight (mask against survivors, non-finite scales, padding bits), as
/// diagnostics with file and offset. Progress in elements.
Diagnostics verifyPayloads(const Bundle &bundle, Progress *progress = nullptr);

} // namespace kernscope
