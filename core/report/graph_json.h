// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/neighbourhood.h"
#include "core/report/json.h"

#include <string_view>

namespace kernscope::report {

/// Everything of `graph`; `output` is empty where nothing was drawn to a file.
Json graphJson(std::string_view path, std::string_view output, const graph::Neighbourhood &drawn);
/// "function", "hops", "centers", "nodes", "edges", "left_out" of the document of `graph`.
void addGraph(Json &document, const graph::Neighbourhood &drawn);

} // namespace kernscope::report
