// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/neighbourhood.h"

namespace kernscope::graph {

/// The words in drawings; the window translates them. %1, %2: numbers and terms.
struct Words {
    std::string input = "input", output = "output", blockInput = "block input";
    std::string times = "%1 \u00D7 %2";            ///< operations, count
    std::string repeat = "block of %1 operations"; ///< name of a fold
    std::string repeatOfOne = "%1 operation";      ///< of a fold of single operations
    std::string foldedWeights = "%1 weights, %2 B", foldedWeight = "%1 weight, %2 B";
    std::string moreOperations = "%1 more operations", moreOperation = "%1 more operation";
    std::string moreNodes = "%1 more"; ///< title of a rest with others than operations
    std::string before = "%1 more before", after = "%1 more after"; ///< beyond the last hop
    std::string bytes = "%1 B";
    std::string calls = "runs %1";         ///< a call: name of the function
    std::string values = "%1 values";      ///< of a link that stands for several
    std::string block = "%1 %2: block %3"; ///< of an operation: kind, name, number
};

/// What stands in a box: a bold title over further lines. printable(), and no line is longer than
/// kLongestLine characters; longer names lose their middle.
struct Label {
    std::string title;
    std::vector<std::string> lines;
};
inline constexpr std::size_t kLongestLine = 40;

Label unitLabel(const Neighbourhood &drawn, std::size_t unit, const Words &words = {});
/// What stands beside an arrow: type and extents of the value; of a weight the operand that it is.
std::string linkLabel(const Neighbourhood &drawn, std::size_t link, const Words &words = {});
/// Title of the frame around a block.
std::string blockLabel(const Graph &graph, std::size_t holder, std::size_t block,
                       const Words &words = {});
/// printable(), and at most `longest` characters: the middle is left out.
std::string shortText(std::string_view text, std::size_t longest);
/// "conv, relu, add" of the first time of a fold: kinds of its operations in the order of the
/// program, at most four.
std::string foldKinds(const Neighbourhood &drawn, const DrawnUnit &unit);

} // namespace kernscope::graph
