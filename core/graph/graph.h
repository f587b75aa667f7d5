// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/small_index.h"
#include "core/bundle/bundle_fwd.h"
#include "core/container/mil/packed_program.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// There are hundreds of thousands of them; none is kNone.
using Index = SmallIndex;

struct Node {
    NodeKind kind = NodeKind::Operation;
    Index function = 0;      ///< index into Graph::functions()
    Index operation = kNone; ///< of a Weight: the one that makes it, if any; see Graph::operation
    Index value = kNone;     ///< what it gives first, or stands for, as the program declares it
    Index weight = kNone;    ///< Weight: index into Bundle::weights()
    Index holder = kNone;    ///< node of the operation in whose block it lies; kNone: in none
    Index block = 0;         ///< which of that operation's blocks
    Index callee = kNone;    ///< `call`: the function that it runs
    Index run = kNone;       ///< index into Graph::runs() of the repeat that it is part of
    Index turn = 0;          ///< which time, from 0
};

enum class EdgeKind : std::uint8_t {
    Value,  ///< an operand
    Enters, ///< becomes the input of a block
    Yields, ///< is the result of a block
};

/// A value on its way from what makes it to what reads it.
struct Edge {
    Index from = 0, to = 0; ///< nodes
    Index param = kNone;    ///< operand of the reader; see Graph::param
    Index value = kNone;    ///< kNone: a weight that the program does not name
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
/// neural network of the kind before programs, layers are operations. Immutable; holds numbers,
/// some dozens of bytes a node: operations and values are unpacked when they are looked at.
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
    std::span<const Index> edgesInto(std::size_t node) const { return m_into.of(node); }
    std::span<const Index> edgesFrom(std::size_t node) const { return m_from.of(node); }

    /// The operation of a node, without those of its blocks; null where it has none.
    mil::OperationPtr operation(std::size_t node) const;
    /// Where it is written; of no length where that is not known.
    const SourceSpan &span(std::size_t node) const { return m_spans[node]; }
    /// What Node::value and Edge::value say, while the graph is there; null for kNone.
    std::shared_ptr<const mil::NamedType> value(std::size_t value) const;
    /// "x"; empty where the reader has no name for it.
    std::string_view param(const Edge &edge) const
    {
        return edge.param == kNone ? std::string_view() : m_params[edge.param];
    }

    /// "conv"; "input" and its like for what is no operation; of a weight its form.
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
        std::vector<std::uint32_t> ends; ///< by node
        std::vector<Index> edges;

        std::span<const Index> of(std::size_t node) const
        {
            const std::size_t from = node == 0 ? 0 : ends[node - 1];
            return std::span(edges).subspan(from, ends[node] - from);
        }
        void fill(std::size_t nodes, const std::vector<Edge> &all, Index Edge::*end);
    };
    /// Where a value is declared.
    struct Declared {
        Index operation = kNone; ///< whose output it is; none: an input of the function
        Index block = kNone;     ///< of the operation: an input of that block; none: an output
        std::uint32_t index = 0; ///< which of them
        Index function = kNone;  ///< of an input
    };
    /// Programs and networks: the operations of these have the numbers behind those.
    mil::OperationPtr operationAt(std::size_t number) const;

    BundlePtr m_bundle;
    std::shared_ptr<const mil::PackedProgram> m_program;
    std::shared_ptr<const mil::PackedProgram> m_networks; ///< made of the layers of networks
    std::vector<CompactVector<mil::NamedType>> m_inputs;  ///< by function
    std::vector<FunctionNodes> m_functions;
    std::vector<Node> m_nodes;
    std::vector<SourceSpan> m_spans; ///< by node
    std::vector<Edge> m_edges;
    EdgeLists m_into, m_from;
    std::vector<Declared> m_values;
    std::vector<std::string> m_params;
    std::vector<Index> m_weightNodes;
    std::vector<Repeat> m_runs;
};
using GraphPtr = std::shared_ptr<const Graph>;

/// "fp16 [1, 8, ?]", "fp16" of a scalar, "[1, 8]" where no element type is stated; other types as
/// they are written. Empty where nothing is stated.
std::string typeText(const mil::ValueType &type);

/// The nodes that a name means: an operation by its name, a value that it makes, an input or output
/// of a function, a weight as patch::findWeight() has it. `function`: only there, "MAIN" or
/// "MODEL/MAIN"; empty: anywhere. Errors: "cli.option", `expected` naming the candidates or the
/// nearest names.
Result<std::size_t> findNode(const Graph &graph, std::string_view name, std::string_view function);
/// Index of a function of that name. Errors: "cli.option", `expected` naming those there are.
Result<std::size_t> findFunction(const Graph &graph, std::string_view name);

} // namespace kernscope::graph
