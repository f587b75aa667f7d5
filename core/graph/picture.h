// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/form/storage_form.h"
#include "core/graph/neighbourhood.h"

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

/// 0xRRGGBB: the colour of a weight in pictures, by how it is stored; that of the window's light
/// theme (its formToken(); a test compares the two).
std::uint32_t formColor(const StorageForm &form);

// From what is drawn to where it goes: how large boxes have to be for their texts.

/// How large texts are, in pixels. Called on the thread that asks for the request.
struct TextSizes {
    std::function<double(std::string_view text, bool bold)> width;
    double lineHeight = 15;
    double padding = 8; ///< between a box and its text, left and right; half of it above and below
};
/// For pictures that are shown by other programs: about DejaVu Sans of 12 pixels.
TextSizes ordinarySizes();

/// A frame around the units of a block: `while_loop y: block 1`.
struct Frame {
    std::size_t holder = 0, block = 0; ///< node of the graph
};

struct Picture {
    std::vector<Label> labels;           ///< by unit
    std::vector<std::string> linkLabels; ///< by link
    std::vector<Frame> frames;
    std::vector<std::string> frameLabels;
    LayoutRequest request;
};

/// Texts and sizes of everything that is drawn; layOut(picture.request) places it.
Picture picture(const Neighbourhood &drawn, const TextSizes &sizes, bool rightwards,
                const Words &words = {});

/// The drawing in Graphviz's language (a digraph with labels, blocks as clusters), for its own
/// programs and those of others. UTF-8.
std::string dotText(const Neighbourhood &drawn, bool rightwards);

/// The drawing as an SVG 1.1 document, UTF-8: boxes, arrows and texts, in light colours, each box
/// with a tooltip (`title`) that has its whole name. Texts keep within their boxes whatever font
/// shows them. Errors: those of layOut().
Result<std::string> svgText(const Neighbourhood &drawn, bool rightwards,
                            Progress *progress = nullptr);

} // namespace kernscope::graph
