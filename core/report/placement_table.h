// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/assessment/measured.h"
#include "core/assessment/weight_facts.h"
#include "core/container/mil/backend_notes.h"
#include "core/report/column.h"

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
extern const TableOf<PlacedLayer> placementTable;
/// Those that the compiler wrote an estimate for: ours beside it.
extern const TableOf<PlacedLayer> estimateTable;

/// Derived energy in microjoules: "4.1 to 24", "at most 24 ?" (? where its conditions do not hold
/// or are not known); "-" where none is derived.
std::string energyText(const std::optional<roofline::Energy> &energy);

// What layers are held against, and how long each takes: `roofline` and the Timeline dock.

/// A figure of a chip; `used`: the layers are held against it.
struct CeilingFacts {
    roofline::Ceiling ceiling;
    bool used = false;
};
/// Those of compute and of bandwidth, in the table's order.
std::vector<CeilingFacts> ceilingRows(const roofline::Roofs &roofs);
extern const TableOf<CeilingFacts> ceilingTable;

/// Measured power that energies are derived from (roofline::powerFigures).
extern const TableOf<roofline::PowerFigure> powerTable;

/// A weight that no layer with a kernel reads.
struct UnassessedWeight {
    std::string weight, address;
    std::optional<std::uint64_t> storedBytes;
    std::string reason;
};
std::vector<UnassessedWeight> unassessedRows(const Bundle &bundle);
extern const TableOf<UnassessedWeight> unassessedTable;

/// A layer with its two times in the form that is looked at.
struct TimedLayer {
    std::string name, op, form;
    std::string function; ///< its name begins with it; empty where all layers belong to one
    std::optional<double> computeS, memoryS, timeS; ///< empty: an extent is not known
    std::optional<double> storedS;                  ///< in the form that the bundle has
    roofline::Bound bound = roofline::Bound::Unknown;
    decision::Outcome outcome = decision::Outcome::Unknown;
    std::string compiler; ///< the compiler's own estimate, with its backend; mostly empty
    bool has = true;      ///< false: the weight has no such form
};
extern const TableOf<TimedLayer> timedLayerTable;

/// Derived energy, or null: `{"low_j","high_j","basis","source","conditions_hold","method"}`
Json energyJson(const std::optional<roofline::Energy> &energy);
/// The roofs that a layer is held against: "compute", "weights", "activations"; null where none is
/// published.
Json roofsJson(const roofline::Assessment &point);
Json assessmentJson(const roofline::Assessment &point);
Json programJson(const roofline::ProgramTime &program);
/// Adds `bundle`, ceilings, ridge, floor, working set, layers and `unassessed[]`, each weight that
/// is in no layer, with the reason: the rest of `roofline`.
void addRoofline(Json &document, const Bundle &bundle, const roofline::Roofs &roofs,
                 const roofline::NetworkAssessment &network, std::uint64_t batch);

/// Everything of `calibrate`; `target` null: of every chip.
Json calibrateJson(const target::Target *target, std::span<const roofline::CalibrationRow> rows,
                   std::span<const roofline::PublishedFigure> figures,
                   std::span<const PlacedLayer> estimated);

} // namespace kernscope::report
