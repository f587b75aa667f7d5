// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/statistics.h"
#include "core/form/operand_place.h"
#include "core/report/column.h"

namespace kernscope {
struct CompressedWeights;
}

/// The weights of a bundle, as `inspect` and the tree of the window list them.
namespace kernscope::report {

/// "main", "detector/main"; of a neural network in a pipeline the model alone.
std::string functionWords(const Weight &weight);
/// Whether a table of the weights has to tell functions apart.
bool severalFunctions(const Bundle &bundle);

/// A row: the weight and the figures of its values.
struct WeightFacts {
    const Bundle *bundle = nullptr;
    std::size_t index = kNoIndex;
    const Statistics *statistics = nullptr; ///< null: its values were not read
    StatisticsOptions asked = {};           ///< columns that were not asked for are absent
    /// Share of the decoded elements that are zero, 0 to 1, where no statistics say it.
    std::optional<double> zeros = {};
    bool severalFunctions = false;                 ///< else there is no column of functions
    const CompressedWeights *compressed = nullptr; ///< of the bundle, as far as it was looked for

    const Weight &weight() const;
};

/// Of every weight that `selected` holds (all, where that is empty). `statistics` has one entry a
/// weight, or none, and outlives the rows.
std::vector<WeightFacts> weightRows(const Bundle &bundle,
                                    const std::vector<std::optional<Statistics>> &statistics,
                                    const StatisticsOptions &asked,
                                    const std::vector<bool> &selected = {});
extern const TableOf<WeightFacts> weightTable;

} // namespace kernscope::report
