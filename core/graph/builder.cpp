// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/value_graph.h"
#include "core/container/network/network_program.h"
#include "core/graph/graph.h"

#include <algorithm>
#include <deque>
#include <iterator>

namespace kernscope::graph {

namespace {

bool makesConstant(const mil::Operation &operation)
{
    return operation.type == "const" || operation.type.starts_with("constexpr_");
}

} // namespace

/// Fills in a Graph, function by function. Private to Graph.
class Builder
{
public:
    explicit Builder(Graph &graph) : m_graph(graph) {}

    Result<void> run(Progress *progress)
    {
        const Bundle &bundle = m_graph.bundle();
        addNetworks();
        for (const mil::Program *program :
             {bundle.program().get(), &std::as_const(m_graph.m_networks)}) {
            for (const mil::Function &function : program->functions) {
                m_programs.push_back(&function);
                m_graph.m_functions.push_back({function.name, function.model, 0, 0});
            }
        }
        if (m_graph.m_functions.empty())
            return refused({bundle.name()}, "graph.program", {}, "a program or a neural network",
                           bundleKindName(bundle.kind()), "There is no program to draw.");
        m_placed.assign(bundle.weights().size(), false);
        m_graph.m_weightNodes.assign(bundle.weights().size(), kNone);
        for (std::size_t f = 0; f < m_graph.m_functions.size(); ++f) {
            m_function = f;
            FunctionNodes &function = m_graph.m_functions[f];
            function.firstNode = m_graph.m_nodes.size();
            addFunction(*m_programs[f]);
            function.nodes = m_graph.m_nodes.size() - function.firstNode;
            if (progress && !progress->advance(1))
                return tl::unexpected(cancelledError("The graph was not made."));
        }
        m_graph.m_into.fill(m_graph.m_nodes.size(), m_graph.m_edges, &Edge::to);
        m_graph.m_from.fill(m_graph.m_nodes.size(), m_graph.m_edges, &Edge::from);
        RepeatFinder(m_graph).run(progress);
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError("The graph was not made."));
        return {};
    }

private:
    /// The block that holds an operation, and the operation (of ValueGraph) that has the block.
    struct Place {
        std::size_t holder = kNone, block = 0;
    };
    /// Nodes of operations by their names.
    using Readers = std::unordered_map<std::string, std::vector<std::size_t>>;

    void addNetworks()
    {
        const Bundle &bundle = m_graph.bundle();
        if (bundle.programFile() == kNoIndex)
            return;
        const BundleFile &file = bundle.files()[bundle.programFile()];
        m_graph.m_networks =
            network::networkProgram(*bundle.program(), file.file->bytes(), file.path);
    }

    void addFunction(const mil::Function &function)
    {
        m_firstOperation = m_graph.m_operations.size();
        m_values = std::make_unique<ValueGraph>(function);
        const auto &definitions = m_values->definitions();
        const auto &operations = m_values->operations();
        for (const GraphOperation &operation : operations)
            m_graph.m_operations.push_back(operation.operation);
        m_places.clear();
        m_byName.clear();
        m_byType.clear();
        m_definedIn.assign(definitions.size(), {});
        m_definitionNode.assign(definitions.size(), kNone);
        m_definitionValue.assign(definitions.size(), kNone);
        m_operationNode.assign(operations.size(), kNone);
        for (std::size_t d = 0; d < definitions.size(); ++d) {
            m_byName[definitions[d].name].push_back(d);
            m_byType.emplace(definitions[d].type, d);
        }
        addOperations(function.body, kNone, 0);
        for (std::size_t i = 0; i < operations.size(); ++i) {
            for (std::size_t o = 0; o < operations[i].operation->outputs.size(); ++o) {
                m_definedIn[operations[i].firstDefinition + o] = m_places[i];
                m_definitionValue[operations[i].firstDefinition + o] =
                    addValue(operations[i].operation->outputs[o]);
            }
        }
        noteWeights();
        takeWeights();
        hideUnpacking();
        for (std::size_t i = 0; i < function.inputs.size(); ++i) {
            m_definitionValue[i] = addValue(function.inputs[i]);
            Node node;
            node.kind = NodeKind::Input;
            addDefinition(i, node);
        }
        for (std::size_t i = 0; i < operations.size(); ++i)
            addOperation(i);
        addUnnamedWeights();
        addAliases();
        for (std::size_t i = 0; i < operations.size(); ++i) {
            addReads(i);
            addYields(i);
        }
        addOutputs(function);
    }

    void addOperations(const mil::Block &block, std::size_t holder, std::size_t number)
    {
        for (const mil::Operation &operation : block.operations) {
            const std::size_t index = m_places.size();
            m_places.push_back({holder, number});
            for (std::size_t b = 0; b < operation.blocks.size(); ++b) {
                const auto &inputs = operation.blocks[b].inputs;
                for (std::size_t i = 0; i < inputs.size(); ++i) {
                    const auto at = m_byType.find(&inputs[i].type);
                    if (at == m_byType.end())
                        continue;
                    m_definedIn[at->second] = {index, b};
                    m_definitionValue[at->second] = addValue(inputs[i]);
                }
                addOperations(operation.blocks[b], index, b);
            }
        }
    }

    void addOperation(std::size_t operation)
    {
        const GraphOperation &read = m_values->operations()[operation];
        const bool constant = read.operation->type == "const" && m_weightOf[operation] == kNone;
        if (constant || m_hidden[operation])
            return;
        Node node;
        node.operation = operation;
        if (!read.operation->outputs.empty())
            node.value = m_definitionValue[read.firstDefinition];
        const Place &place = m_places[operation];
        if (place.holder != kNone)
            node.holder = m_operationNode[place.holder];
        node.block = place.block;
        node.weight = m_weightOf[operation];
        node.kind = node.weight == kNone ? NodeKind::Operation : NodeKind::Weight;
        node.callee = calleeOf(*read.operation);
        const std::size_t weight = node.weight;
        const std::size_t made = m_operationNode[operation] = addNode(node);
        if (weight != kNone)
            m_graph.m_weightNodes[weight] = made;
        for (std::size_t i = 0; i < read.operation->outputs.size(); ++i)
            m_definitionNode[read.firstDefinition + i] = made;
        addBlockInputs(operation);
    }

    /// Weights of this function by the value that makes them.
    void noteWeights()
    {
        const mil::Function &function = *m_programs[m_function];
        const auto &weights = m_graph.bundle().weights();
        m_wanted.clear();
        for (std::size_t w = 0; w < weights.size(); ++w) {
            const bool here = weights[w].function.empty() || weights[w].function == function.name;
            if (here && weights[w].model == function.model && !m_placed[w])
                m_wanted[weights[w].name].push_back(w);
        }
    }

    void takeWeights()
    {
        const auto &operations = m_values->operations();
        m_weightOf.assign(operations.size(), kNone);
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const mil::Operation &operation = *operations[i].operation;
            for (const mil::NamedType &output : operation.outputs) {
                const auto wanted = m_wanted.find(output.name);
                if (wanted == m_wanted.end() || wanted->second.empty() || m_weightOf[i] != kNone)
                    continue;
                const std::size_t weight = wanted->second.front();
                if (m_graph.bundle().weights()[weight].sourceOp != operation.type)
                    continue;
                wanted->second.pop_front();
                m_weightOf[i] = weight;
                m_placed[weight] = true;
            }
        }
    }

    /// What only unpacks a weight is part of its node.
    void hideUnpacking()
    {
        const auto &operations = m_values->operations();
        m_hidden.assign(operations.size(), false);
        for (std::size_t i = operations.size(); i-- > 0;) {
            const mil::Operation &operation = *operations[i].operation;
            if (m_weightOf[i] == kNone && !m_hidden[i])
                continue;
            forEachValue(operation, [&](std::string_view, const mil::ProgramValue &value) {
                const Definition *made = m_values->definition(value);
                if (!made || made->operation == Definition::kNoOperation)
                    return;
                if (m_weightOf[made->operation] == kNone &&
                    makesConstant(*operations[made->operation].operation))
                    m_hidden[made->operation] = true;
            });
        }
    }

    /// `node.operation`: as the function counts it.
    std::size_t addNode(Node node)
    {
        node.function = m_function;
        if (node.operation != kNone)
            node.operation = m_firstOperation + node.operation;
        m_graph.m_nodes.push_back(node);
        return m_graph.m_nodes.size() - 1;
    }

    void addEdge(std::size_t from, std::size_t to, std::string_view param, std::size_t value,
                 EdgeKind kind)
    {
        if (from != kNone && to != kNone)
            m_graph.m_edges.push_back({from, to, paramOf(param), value, kind});
    }

    std::size_t paramOf(std::string_view name)
    {
        if (name.empty())
            return kNone;
        const auto [at, isNew] = m_params.try_emplace(name, m_graph.m_params.size());
        if (isNew)
            m_graph.m_params.emplace_back(name);
        return at->second;
    }

    std::size_t addValue(const mil::NamedType &declared)
    {
        m_graph.m_values.push_back(&declared);
        return m_graph.m_values.size() - 1;
    }

    void addDefinition(std::size_t definition, Node node)
    {
        node.value = m_definitionValue[definition];
        m_definitionNode[definition] = addNode(node);
    }

    void addBlockInputs(std::size_t operation)
    {
        const mil::Operation &holder = *m_values->operations()[operation].operation;
        for (std::size_t b = 0; b < holder.blocks.size(); ++b) {
            for (const mil::NamedType &input : holder.blocks[b].inputs) {
                const auto at = m_byType.find(&input.type);
                if (at == m_byType.end())
                    continue;
                Node node;
                node.kind = NodeKind::BlockInput;
                node.holder = m_operationNode[operation];
                node.block = b;
                addDefinition(at->second, node);
            }
        }
    }

    void addReads(std::size_t operation)
    {
        const std::size_t node = m_operationNode[operation];
        if (node == kNone || m_graph.m_nodes[node].kind == NodeKind::Weight)
            return;
        forEachValue(*m_values->operations()[operation].operation,
                     [&](std::string_view param, const mil::ProgramValue &value) {
                         const mil::Reference *reference = value.reference();
                         const std::size_t made =
                             reference ? m_values->resolve(*reference) : ValueGraph::kNone;
                         if (made != ValueGraph::kNone)
                             addEdge(m_definitionNode[made], node, param, m_definitionValue[made],
                                     EdgeKind::Value);
                     });
    }

    void addYields(std::size_t operation)
    {
        const GraphOperation &holder = m_values->operations()[operation];
        for (std::size_t b = 0; b < holder.operation->blocks.size(); ++b) {
            for (const std::string &name : holder.operation->blocks[b].outputs) {
                const std::size_t made = visible(name, holder.firstDefinition, {operation, b});
                if (made != kNone)
                    addEdge(m_definitionNode[made], m_operationNode[operation], {},
                            m_definitionValue[made], EdgeKind::Yields);
            }
        }
    }

    void addAliases()
    {
        const auto &definitions = m_values->definitions();
        for (std::size_t d = 0; d < definitions.size(); ++d) {
            for (const std::size_t inner : definitions[d].aliases)
                addEdge(m_definitionNode[d], m_definitionNode[inner], {}, m_definitionValue[d],
                        EdgeKind::Enters);
        }
    }

    void addOutputs(const mil::Function &function)
    {
        for (const std::string &name : function.body.outputs) {
            const std::size_t made = visible(name, m_values->definitions().size(), {});
            if (made == kNone)
                continue;
            Node node;
            node.kind = NodeKind::Output;
            node.value = m_definitionValue[made];
            addEdge(m_definitionNode[made], addNode(node), {}, m_definitionValue[made],
                    EdgeKind::Value);
        }
    }

    /// Weights that no value of the program stands for: of networks, and literals of an operand.
    void addUnnamedWeights()
    {
        Readers readers;
        const std::size_t end = m_graph.m_nodes.size();
        for (std::size_t n = m_graph.m_functions[m_function].firstNode; n < end; ++n) {
            if (m_graph.m_nodes[n].kind == NodeKind::Operation)
                readers[m_graph.operation(n)->displayName()].push_back(n);
        }
        std::vector<std::size_t> missing;
        for (const auto &[name, wanted] : m_wanted)
            missing.insert(missing.end(), wanted.begin(), wanted.end());
        std::ranges::sort(missing);
        for (const std::size_t weight : missing)
            addUnnamedWeight(weight, readers);
    }

    void addUnnamedWeight(std::size_t weight, const Readers &readers)
    {
        std::size_t made = kNone;
        for (const Consumer &consumer : m_graph.bundle().weights()[weight].consumers) {
            const auto found = readers.find(consumer.name);
            if (found == readers.end())
                continue;
            for (const std::size_t reader : found->second) {
                if (m_graph.operation(reader)->type != consumer.op)
                    continue;
                const Node of = m_graph.m_nodes[reader];
                if (made == kNone) {
                    Node node;
                    node.kind = NodeKind::Weight;
                    node.weight = weight;
                    node.holder = of.holder;
                    node.block = of.block;
                    made = addNode(node);
                    m_graph.m_weightNodes[weight] = made;
                }
                addEdge(made, reader, consumer.param, kNone, EdgeKind::Value);
                break;
            }
        }
        m_placed[weight] = made != kNone;
    }

    /// The last definition of a name before another one that a block can see; kNone: none.
    std::size_t visible(const std::string &name, std::size_t before, Place place) const
    {
        const auto found = m_byName.find(name);
        if (found == m_byName.end())
            return kNone;
        constexpr std::size_t kMostTried = 4096; // of a program that defines one name over and over
        const auto &all = found->second;
        const auto last = std::lower_bound(all.begin(), all.end(), before);
        std::size_t tried = 0;
        for (auto at = std::make_reverse_iterator(last); at != all.rend() && tried < kMostTried;
             ++at, ++tried) {
            const Place &made = m_definedIn[*at];
            for (Place around = place;; around = m_places[around.holder]) {
                if (made.holder == around.holder &&
                    (made.holder == kNone || made.block == around.block))
                    return *at;
                if (around.holder == kNone)
                    break;
            }
        }
        return kNone;
    }

    std::size_t calleeOf(const mil::Operation &operation) const
    {
        if (operation.type != "call")
            return kNone;
        const mil::ProgramValue *value = operation.operand("function");
        const mil::Literal *literal = value ? value->literal() : nullptr;
        if (!literal || literal->strings.empty())
            return kNone;
        const mil::Function &caller = *m_programs[m_function];
        for (std::size_t f = 0; f < m_programs.size(); ++f) {
            const mil::Function &other = *m_programs[f];
            if (other.model == caller.model && other.name == literal->strings.front())
                return f;
        }
        return kNone;
    }

    Graph &m_graph;
    std::vector<const mil::Function *> m_programs; ///< by function
    std::unordered_map<std::string_view, std::size_t> m_params;
    // Of the function that is being read:
    std::size_t m_function = 0;
    std::unique_ptr<ValueGraph> m_values;
    std::vector<Place> m_places;              ///< by operation
    std::vector<Place> m_definedIn;           ///< by definition
    std::vector<std::size_t> m_operationNode; ///< kNone: a constant
    std::vector<std::size_t> m_definitionNode;
    std::vector<std::size_t> m_definitionValue;
    std::size_t m_firstOperation = 0;    ///< in Graph::m_operations
    std::vector<std::size_t> m_weightOf; ///< by operation: the weight that it makes
    std::vector<bool> m_hidden;          ///< by operation: unpacks a weight
    std::unordered_map<std::string_view, std::vector<std::size_t>> m_byName; ///< definitions
    std::unordered_map<const mil::ValueType *, std::size_t> m_byType;
    std::unordered_map<std::string, std::deque<std::size_t>> m_wanted; ///< weights by name
    std::vector<bool> m_placed;                                        ///< by weight
};

Result<std::shared_ptr<const Graph>> Graph::build(BundlePtr bundle, Progress *progress)
{
    auto graph = std::make_shared<Graph>();
    graph->m_bundle = std::move(bundle);
    TRY(Builder(*graph).run(progress));
    return std::shared_ptr<const Graph>(std::move(graph));
}

} // namespace kernscope::graph
