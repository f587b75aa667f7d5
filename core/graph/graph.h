// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/program.h"

#include <unordered_map>

/// A program as a graph: what computes, what is stored, and which value goes where.
namespace kernscope::graph {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

enum class NodeKind : std::uint8_t {
    Operation,
    Weight,     ///< with the operations that unpack it
    Input,      ///< of the function
    Output,     ///< of the function
    BlockInput, ///< of a block of `while_loop`
};
/// "operation", "weight", "input", "output", "block-input".
std::string_view nodeKindName(NodeKind kind);

struct Node {
    NodeKind kind = NodeKind::Operation;
    std::size_t function = 0; ///< index into Graph::functions()
    std::size_t operation =
        kNone;                 ///< of a Weight: the one that makes it, if any; see Graph::operation
    std::size_t value = kNone; ///< what it gives first, or stands for, as the program declares it
    std::size_t weight = kNone; ///< Weight: index into Bundle::weights()
    std::size_t holder = kNone; ///< node of the operation in whose block it lies; kNone: in none
    std::size_t block = 0;      ///< which of that operation's blocks
    std::size_t callee = kNone; ///< `call`: the function that it runs
    std::size_t run = kNone;    ///< index into Graph::runs() of the repeat that it is part of
    std::size_t turn = 0;       ///< which time, from 0
};

enum class EdgeKind : std::uint8_t {
    Value,  ///< an operand
    Enters, ///< becomes the input of a block
    Yields, ///< is the result of a block
};

/// A value on its way from what makes it to what reads it.
struct Edge {
    std::size_t from = 0, to = 0; ///< nodes
    std::size_t param = kNone;    ///< operand of the reader; see Graph::param
    std::size_t value = kNone;    ///< kNone: a weight that the program does not name
    EdgeKind kind = EdgeKind::Value;
};

/// A chain of operations that stands in the program several times, one after the other, each time
/// reading what the time before it gave: equal in kinds, operands, types and shapes, and in the
/// forms and shapes of the weights that it reads.
struct Repeat {
    std::size_t operations = 0; ///< of one time, blocks not counted
    std::size_t turns = 0;      ///< how many times, 2 and more
};

/// The nodes of a function are consecutive, in the order of the program: inputs first, an operation
/// before what is in its blocks, outputs last.
struct FunctionNodes {
    std::string name, model;
    std::size_t firstNode = 0, nodes = 0;
};

/// Plain constants (strides, axes) are no nodes: they belong to the operation that reads them. Of a
/// neural network of the kind before programs, layers are operations. Immutable; points into the
/// program of its bundle.
class Graph
{
public:
    /// Time is linear in the program, but for the search for repeats, whose steps are bounded.
    /// Hold a BundleReadLock. Errors: "graph.program" (the bundle has none), "task.cancelled".
    static Result<std::shared_ptr<const Graph>> build(BundlePtr bundle,
                                                      Progress *progress = nullptr);

    const Bundle &bundle() const { return *m_bundle; }
    const std::vector<FunctionNodes> &functions() const { return m_functions; }
    const std::vector<Node> &nodes() const { return m_nodes; }
    const std::vector<Edge> &edges() const { return m_edges; }
    const std::vector<Repeat> &runs() const { return m_runs; }
    /// Edges that end or begin at a node, in the order of the program.
    std::span<const std::size_t> edgesInto(std::size_t node) const { return m_into.of(node); }
    std::span<const std::size_t> edgesFrom(std::size_t node) const { return m_from.of(node); }

    /// The operation of a node; null where it has none.
    const mil::Operation *operation(std::size_t node) const
    {
        const std::size_t number = m_nodes[node].operation;
        return number == kNone ? nullptr : m_operations[number];
    }
    /// Where it is written; of no length where that is not known.
    SourceSpan span(std::size_t node) const
    {
        const mil::Operation *of = operation(node);
        return of ? of->span : SourceSpan();
    }
    /// What Node::value and Edge::value say; null for kNone.
    const mil::NamedType *value(std::size_t value) const
    {
        return value == kNone ? nullptr : m_values[value];
    }
    /// "x"; empty where the reader has no name for it.
    std::string_view param(const Edge &edge) const
    {
        return edge.param == kNone ? std::string_view() : m_params[edge.param];
    }

    /// "conv"; "input" and the like for nodes other than operations; of a weight its form.
    std::string title(std::size_t node) const;
    /// As the program or the bundle has it.
    std::string name(std::size_t node) const;
    /// "fp16 [1, 8, ?]" of the first result; empty where nothing is stated.
    std::string result(std::size_t node) const;
    /// "MODEL/FUNCTION" without the parts that are empty.
    std::string functionName(std::size_t function) const;
    /// Names of the operands that are plain constants, in the order of the program.
    std::vector<std::string> constantsOf(std::size_t node) const;

    /// kNone where the program does not read it.
    std::size_t nodeOfWeight(std::size_t weight) const;
    /// The program file of the function that a node belongs to; kNoIndex where there is none.
    std::size_t fileOf(std::size_t node) const;
    /// The node of the innermost operation that a byte of a program file belongs to.
    std::size_t nodeAtByte(std::size_t file, std::uint64_t offset) const;
    std::vector<std::size_t> inputsOf(std::size_t function) const;

private:
    friend class Builder;
    friend class RepeatFinder;

    /// The edges of each node, one list behind the other.
    struct EdgeLists {
        std::vector<std::size_t> ends; ///< by node
        std::vector<std::size_t> edges;

        std::span<const std::size_t> of(std::size_t node) const
        {
            const std::size_t from = node == 0 ? 0 : ends[node - 1];
            return std::span(edges).subspan(from, ends[node] - from);
        }
        void fill(std::size_t nodes, const std::vector<Edge> &all, std::size_t Edge::*end);
    };

    BundlePtr m_bundle;
    mil::Program m_networks;                          ///< made of the layers of networks
    std::vector<const mil::Operation *> m_operations; ///< of the program, then of networks
    std::vector<FunctionNodes> m_functions;
    std::vector<Node> m_nodes;
    std::vector<Edge> m_edges;
    EdgeLists m_into, m_from;
    std::vector<const mil::NamedType *> m_values;
    std::vector<std::string> m_params;
    std::vector<std::size_t> m_weightNodes;
    std::vector<Repeat> m_runs;
};
using GraphPtr = std::shared_ptr<const Graph>;

/// "fp16 [1, 8, ?]", "fp16" of a scalar, "[1, 8]" where no element type is stated; other types as
/// they are written. Empty where nothing is stated.
std::string valueTypeText(const mil::ValueType &type);

/// The nodes that a name means: an operation by its name, a value that it makes, an input or output
/// of a function, a weight as patch::findWeight() has it. `function`: only there, "MAIN" or
/// "MODEL/MAIN"; empty: anywhere. Errors: "cli.option", `expected` naming the candidates or the
/// nearest names.
Result<std::size_t> findNode(const Graph &graph, std::string_view name, std::string_view function);
/// std::size_t of a function of that name. Errors: "cli.option", `expected` naming those there are.
Result<std::size_t> findFunction(const Graph &graph, std::string_view name);

/// Finds what a program repeats: in each block the longest stretches of operations that are several
/// times the same, from its beginning on. Private to Graph.
class RepeatFinder
{
public:
    explicit RepeatFinder(Graph &graph) : m_graph(graph) {}
    void run(Progress *progress);

private:
    /// What an operation reads from beside its weights, whose forms are part of its mark.
    struct Source {
        std::size_t at = 0;     ///< place in the block, else the node
        bool inBlock = false;   ///< made by an operation of the same block
        std::uint64_t type = 0; ///< of the value
    };
    struct Step {
        std::size_t node = 0;
        std::uint64_t mark = 0; ///< equal for operations that are equal by themselves
        std::vector<Source> sources;
    };

    void readBlock(const std::vector<std::size_t> &operations);
    std::uint64_t markOf(std::size_t node) const;
    std::uint64_t typeMark(std::size_t value);
    void addSources(Step &step, std::size_t first, std::size_t last);
    bool same(std::size_t step, std::size_t length, std::size_t start, std::size_t turn);
    bool continues(std::size_t at, std::size_t length) const;
    std::size_t turnsAt(std::size_t start, std::size_t length);
    void take(std::size_t start, std::size_t length, std::size_t turns);
    void giveWeights();

    Graph &m_graph;
    std::vector<Step> m_steps;
    std::unordered_map<std::size_t, std::size_t> m_placeOf;     ///< node -> place in the block
    std::unordered_map<std::size_t, std::uint64_t> m_typeMarks; ///< of values
    std::uint64_t m_budget = 0; ///< sources that may still be compared
};

} // namespace kernscope::graph
