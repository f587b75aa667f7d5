// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/graph/picture.h"

#include <string>

namespace kernscope::graph {

/// The drawing as an SVG 1.1 document, UTF-8: boxes, arrows and texts, in light colours, each box
/// with a tooltip (`title`) that has its whole name. Texts keep within their boxes whatever font
/// shows them. Errors: those of layOut().
Result<std::string> svgText(const Neighbourhood &drawn, bool rightwards,
                            Progress *progress = nullptr);

} // namespace kernscope::graph
