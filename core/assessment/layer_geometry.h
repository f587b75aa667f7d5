// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/assessment/geometry.h"

namespace kernscope::roofline {

/// How the array takes a layer, in the form that was assessed on that chip: `computeGeometry` of
/// its operation, with the operands and the arithmetic of the assessment, so that both say the
/// same.
/// Errors: "geometry.none" (the layer is no operation of the array) and those of computeGeometry.
Result<decision::Geometry> geometryOf(const Layer &layer, const Assessment &assessment,
                                      const target::Target &target,
                                      const decision::GeometryOptions &options = {});

} // namespace kernscope::roofline
