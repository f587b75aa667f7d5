// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/label.h"
#include "core/graph/layout.h"

#include <functional>
#include <string_view>
#include <vector>

/// From what is drawn to where it goes: how large boxes have to be for their texts.
namespace kernscope::graph {

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

} // namespace kernscope::graph
