// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/neighbourhood.h"
#include "core/report/json.h"

namespace kernscope::report {

/// "function", "hops", "centers", "nodes", "edges", "left_out" of the document of `graph`.
void addGraph(Json &document, const graph::Neighbourhood &drawn);

} // namespace kernscope::report
