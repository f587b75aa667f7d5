// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/backend_notes.h"
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
    const mil::BackendNotes *notes = nullptr; ///< what the compiler itself says of it
    std::string function = {};                ///< where the table tells functions apart
};

/// The compiler's own estimates of an operation by backend, the selected one first, "0.012 ms
/// (ane)"; empty where it wrote none. Never mixed with our own figures.
std::string estimateText(const mil::BackendNotes &notes);
/// Those of the operation that is a layer.
const mil::BackendNotes &notesOf(const Bundle &bundle, const roofline::Layer &layer);

/// The rows of `roofline`, in the order of the layers. Bundle and placements must outlive them.
std::vector<PlacedLayer> placedLayers(const Bundle &bundle,
                                      std::span<const roofline::Placement> placements);
const TableOf<PlacedLayer> &placementTable();
/// Those that the compiler wrote an estimate for: ours beside it.
const TableOf<PlacedLayer> &estimateTable();

/// Derived energy in microjoules: "4.1 to 24", "at most 24 ?" (? where its conditions do not hold
/// or are not known); "-" where none is derived.
std::string energyText(const std::optional<roofline::Energy> &energy);

} // namespace kernscope::report
