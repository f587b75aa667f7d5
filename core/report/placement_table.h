// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/report/column.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The layers of a network under the ceilings of a chip, as `roofline` and the table below the plot
/// list them.
namespace kernscope::report {

struct PlacedLayer {
    const roofline::Placement *placement = nullptr;
    std::string compilerEstimate = {}; ///< what the compiler itself says of it, in words
    std::string function = {};         ///< where the table tells functions apart
};

/// The rows of `roofline`, in the order of the layers. The placements must outlive them.
std::vector<PlacedLayer> placedLayers(std::span<const roofline::Placement> placements);
const TableOf<PlacedLayer> &placementTable();

/// Derived energy in microjoules: "4.1 to 24", "at most 24 ?" (? where its conditions do not hold
/// or are not known); "-" where none is derived.
std::string energyText(const std::optional<roofline::Energy> &energy);

} // namespace kernscope::report
