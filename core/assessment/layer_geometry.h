// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/assessment/geometry.h"

namespace kernscope::roofline {

/// The layer's operation with the weight as the array gets it: one that folds is dense fp16. Only
/// for layers that have an operation.
decision::LayerOperation arrayOperation(const Layer &layer, const Assessment &assessment);

/// Weights of a width that was typed in, 1 to 16 bits. A width below 8 is that of a palette's
/// index, whose entries are fp16 (chapter 25, four codecs); 8 bits are int8.
void setWeightBits(decision::LayerOperation &operation, unsigned bits);

/// How the array takes a layer, in the form that was assessed on that chip: `computeGeometry` of
/// its `arrayOperation`, with the operands and the arithmetic of the assessment, so that both say
/// the same.
/// Errors: "geometry.none" (the layer is no operation of the array) and those of computeGeometry.
Result<decision::Geometry> geometryOf(const Layer &layer, const Assessment &assessment,
                                      const target::Target &target,
                                      const decision::GeometryOptions &options = {});

} // namespace kernscope::roofline
