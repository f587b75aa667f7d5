// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"

#include <vector>

namespace kernscope::shapes {

/// Default shapes of the inputs that a program leaves open, as far as the model says them: by its
/// description, else by the attribute FlexibleShapeInformation of the function.
std::vector<ShapeBinding> describedShapes(const mil::Program &program);

} // namespace kernscope::shapes
