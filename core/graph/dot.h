// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/label.h"

#include <string>

namespace kernscope::graph {

/// The drawing in Graphviz's language (a digraph with labels, blocks as clusters), for its own
/// programs and those of others. UTF-8.
std::string dotText(const Neighbourhood &drawn, bool rightwards);

} // namespace kernscope::graph
