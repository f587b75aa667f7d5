// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <set>

namespace kernscope::graph {

inline constexpr unsigned kMostHops = 6;
inline constexpr unsigned kAllHops = static_cast<unsigned>(-1); ///< all that hangs together
inline constexpr std::size_t kMostDrawn = 500; ///< what Graphviz lays out within seconds

/// What of a graph is drawn.
struct Scope {
    std::vector<std::size_t> centres; ///< nodes; all of one function
    unsigned hops = 2;                ///< 1 to kMostHops, or kAllHops
    std::size_t mostDrawn = 120;      ///< units; 1 to kMostDrawn. The number left out is reported.
    bool fold = true;                 ///< repeats become one unit
    std::set<std::size_t> opened; ///< runs that are drawn in full; those of centres open in part
};

/// What is drawn as one box.
struct DrawnUnit {
    enum class Kind : std::uint8_t {
        Node,
        Fold, ///< `turns` times the same chain of operations
        Rest, ///< neighbours of one unit that the limit left out
    };
    Kind kind = Kind::Node;
    /// One node; of a fold all of it; of a rest the nodes that it stands for, in the order of the
    /// program. A fold that is left out counts all its nodes.
    std::vector<std::size_t> nodes;
    std::size_t run = kNone; ///< Fold
    std::size_t turns = 0;   ///< Fold: how many times are folded here
    unsigned hop = 0;        ///< 0: a centre
    /// Neighbours beyond the last hop that are not drawn: what it reads, and what reads it.
    std::size_t before = 0, after = 0;
};

/// The values that go from one unit to another.
struct Link {
    std::size_t from = 0, to = 0;   ///< units
    std::vector<std::size_t> edges; ///< of the graph; none of a link with a rest
};

struct Neighbourhood {
    GraphPtr graph;
    Scope scope;
    std::vector<DrawnUnit>
        units; ///< by hop, then in the order in which they were reached; rests last
    std::vector<Link> links;
    std::size_t leftOut = 0; ///< nodes of all rests, each once

    /// The unit that stands for a node, kNone where none is drawn. Of a rest: none.
    std::size_t unitOf(std::size_t node) const;
    std::size_t operations(const DrawnUnit &unit) const;
    std::size_t weights(const DrawnUnit &unit) const;
    /// Of its weights; nothing where those of one of them are not known.
    std::optional<std::uint64_t> storedBytes(const DrawnUnit &unit) const;
};

/// The units within `hops` steps of the centres, along values in both directions. Where the limit
/// leaves units out, nearer ones are drawn first, and the neighbours of each unit in turn.
Neighbourhood neighbourhood(GraphPtr graph, Scope scope);

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
