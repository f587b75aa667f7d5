// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/aimodel/names.h"
#include "core/container/mil/program.h"

#include <cstdint>
#include <string>

namespace kernscope::aimodel {

/// The graph at a position as a function of a program: operations by the names that programs of
/// Core ML have for them (resources/tables/coreai_ops.csv), their attribute "stored_as" in the
/// file's own words. Constants that are weights or parts of them name their bytes in `path`; others
/// are written out where they are short.
mil::Function makeFunction(const ModuleGraph &graph, const ValueNames &names, std::size_t position,
                           const std::vector<std::string> &graphNames, const std::string &path);

/// The type of a value; of kinds that are no tensors the text says what it is.
mil::ValueType valueType(const ModuleGraph &graph, std::uint32_t value);

} // namespace kernscope::aimodel
