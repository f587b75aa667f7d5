// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/assessment/energy.h"
#include "core/assessment/roofline.h"
#include "core/bundle/bundle_fwd.h"
#include "core/report/column.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What layers are held against, and how long each takes: `roofline` and the Timeline dock.
namespace kernscope::report {

/// A figure of a chip; `used`: the layers are held against it.
struct CeilingFacts {
    roofline::Ceiling ceiling;
    bool used = false;
};
/// Those of compute and of bandwidth, in the table's order.
std::vector<CeilingFacts> ceilingRows(const roofline::Roofs &roofs);
const TableOf<CeilingFacts> &ceilingTable();

/// Measured power that energies are derived from (roofline::powerFigures).
const TableOf<roofline::PowerFigure> &powerTable();

/// A weight that no layer with a kernel reads.
struct UnassessedWeight {
    std::string weight, address;
    std::optional<std::uint64_t> storedBytes;
    std::string reason;
};
std::vector<UnassessedWeight> unassessedRows(const Bundle &bundle);
const TableOf<UnassessedWeight> &unassessedTable();

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
const TableOf<TimedLayer> &timedLayerTable();

} // namespace kernscope::report
