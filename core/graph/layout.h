// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"

#include <cstddef>

/// Where boxes and arrows of a drawing go. The one file that knows Graphviz is layout.cpp.
namespace kernscope::graph {

struct Point {
    double x = 0, y = 0; ///< pixels, from the top left
};
struct Extent {
    double width = 0, height = 0;
};
struct PlacedBox {
    Point topLeft;
    Extent size;
    Point centre() const { return {topLeft.x + size.width / 2, topLeft.y + size.height / 2}; }
};

/// What is to be laid out, in pixels.
struct LayoutRequest {
    struct Arrow {
        std::size_t from = 0, to = 0;
        Extent label; ///< width 0: it has none
    };
    /// A frame around boxes; frames nest, outer ones first.
    struct Frame {
        std::size_t parent = static_cast<std::size_t>(-1); ///< a frame before it; else none
        std::vector<std::size_t> boxes;                    ///< those of inner frames left out
        Extent label;
    };
    std::vector<Extent> boxes;
    std::vector<Arrow> arrows;
    std::vector<Frame> frames;
    bool rightwards = false; ///< values flow to the right, not down
};

struct LayoutResult {
    struct Path {
        /// Cubic Bézier curves: a start, then three points for each.
        std::vector<Point> curve;
        Point tip;   ///< of the arrow's head, which begins at the end of the curve
        Point label; ///< centre of the label
        bool hasLabel = false;
    };
    std::vector<PlacedBox> boxes;
    std::vector<Path> arrows;
    std::vector<PlacedBox> frames;
    std::vector<Point> frameLabels; ///< centres
    Extent size;
};

/// By Graphviz's `dot`. One call at a time does its work, others wait. Once it has begun it cannot
/// be stopped; `progress` is asked before and after. Errors: "graph.layout" (Graphviz or its
/// plug-in for `dot` fails), "task.cancelled".
Result<LayoutResult> layOut(const LayoutRequest &request, Progress *progress = nullptr);

} // namespace kernscope::graph
