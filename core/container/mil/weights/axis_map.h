// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/value_graph.h"
#include "core/numeric/element_type.h"

#include <cstddef>
#include <vector>

/// Where the axes of a weight go as operations give it another shape.
namespace kernscope {

/// By axis of a value that of the stored weight; kNoIndex where it is none of them.
using AxisMap = std::vector<std::size_t>;

AxisMap sameAxes(std::size_t rank);

/// The map of what `operation` (cast, transpose, expand_dims, squeeze or reshape) makes of a value
/// with the map `before`. An axis that several are joined in, and each of those that one is split
/// into, is the first of them that is longer than 1. All kNoIndex where the operation does not say.
AxisMap axesThrough(const ValueGraph &graph, const mil::Operation &operation,
                    const mil::ValueType *from, const mil::ValueType *to, const AxisMap &before);

/// The same for a reshape between two shapes of as many elements.
AxisMap axesOfReshape(const Shape &from, const Shape &to, const AxisMap &before);

} // namespace kernscope
