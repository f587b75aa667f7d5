// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"

namespace kernscope::shapes {

/// Adds to the descriptions what the attribute FlexibleShapeInformation of a function says of its
/// inputs: default and allowed shapes, where the model's own description has none.
void describeFlexibleShapes(mil::Program &program);

/// Default shapes of the inputs that a program leaves open, as far as its descriptions say them;
/// without a default the first shape that is allowed.
std::vector<ShapeBinding> describedShapes(const mil::Program &program);

} // namespace kernscope::shapes
