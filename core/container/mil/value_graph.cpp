// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/value_graph.h"

namespace kernscope {

/// Walks a function once, with the names that are visible at each place.
class GraphBuilder
{
public:
    explicit GraphBuilder(ValueGraph &graph) : m_graph(graph) {}
    void run(const mil::Function &function)
    {
        const std::size_t operations = mil::operationCount(function.body);
        m_graph.m_operations.reserve(operations);
        m_graph.m_definitions.reserve(operations + function.inputs.size());
        m_graph.m_references.reserve(operations);
        m_visible.reserve(operations + function.inputs.size());
        m_hasJumps = function.opset == "coreai"; // a compiled program, whose names are unique
        for (std::size_t i = 0; i < function.inputs.size(); ++i)
            define(function.inputs[i], Definition::kNoOperation, i);
        walkBlock(function.body, false, nullptr, nullptr);
        for (const Later &each : m_later)
            bind(*each.reference, each.use);
    }

private:
    /// What a name meant around a block that defines it again; restored when the block ends.
    struct Hidden {
        std::string_view name;
        std::size_t definition;
    };

    /// What is made further on, and read after a jump back: known at the end.
    struct Later {
        const mil::Reference *reference;
        Use use;
    };

    std::size_t define(const mil::NamedType &output, std::size_t operation, std::size_t index)
    {
        const std::size_t definition = m_graph.m_definitions.size();
        Definition made;
        made.name = output.name;
        made.type = &output.type;
        made.operation = operation;
        made.output = index;
        m_graph.m_definitions.push_back(std::move(made));
        const auto [place, fresh] = m_visible.try_emplace(output.name, ValueGraph::kNone);
        m_hidden.push_back({output.name, place->second});
        place->second = definition;
        return definition;
    }

    void read(const mil::Operation &operation, std::size_t index)
    {
        forEachValue(operation, [&](std::string_view param, const mil::ProgramValue &value) {
            const mil::Reference *reference = value.reference();
            if (reference && !bind(*reference, {index, param}) && m_hasJumps)
                m_later.push_back({reference, {index, param}});
        });
    }

    bool bind(const mil::Reference &reference, const Use &use)
    {
        const auto found = m_visible.find(reference.name);
        if (found == m_visible.end() || found->second == ValueGraph::kNone)
            return false;
        m_graph.m_references.emplace(&reference, found->second);
        m_graph.m_definitions[found->second].uses.push_back(use);
        return true;
    }

    /// A value that a body gives back, and the number of the result that it is.
    struct Yield {
        std::size_t definition;
        std::size_t result;
    };

    void walkBlock(const mil::Block &block, bool insideLoop, const mil::Operation *holder,
                   std::vector<Yield> *yields)
    {
        const std::size_t hiddenBefore = m_hidden.size();
        const std::size_t inputs = m_graph.m_definitions.size();
        if (holder)
            bindInputs(block, *holder);
        for (const mil::Operation &operation : block.operations)
            walkOperation(operation, insideLoop);
        for (std::size_t i = 0; yields && i < block.outputs.size(); ++i) {
            const auto found = m_visible.find(block.outputs[i]);
            if (found == m_visible.end() || found->second == ValueGraph::kNone)
                continue;
            yields->push_back({found->second, i});
            if (i < block.inputs.size() && found->second != inputs + i)
                m_graph.m_definitions[found->second].yieldedAs.push_back(inputs + i);
        }
        if (holder) // behind a function nothing reads what it defines
            endBlock(hiddenBefore);
    }

    void walkOperation(const mil::Operation &operation, bool insideLoop)
    {
        const std::size_t index = m_graph.m_operations.size();
        m_graph.m_operations.push_back({&operation, insideLoop, 0});
        read(operation, index);
        std::vector<Yield> yields;
        for (const mil::Block &block : operation.blocks) {
            // Of a loop the first block only says whether there is another turn.
            const bool gives = operation.type == "cond" || &block == &operation.blocks.back();
            walkBlock(block, true, &operation, gives ? &yields : nullptr);
        }
        m_graph.m_operations[index].firstDefinition = m_graph.m_definitions.size();
        for (std::size_t i = 0; i < operation.outputs.size(); ++i)
            define(operation.outputs[i], index, i);
        for (const Yield &yield : yields) {
            if (yield.result < operation.outputs.size())
                m_graph.m_definitions[yield.definition].yieldedAs.push_back(
                    m_graph.m_operations[index].firstDefinition + yield.result);
        }
    }

    /// A body's inputs stand for the loop's operands, one by one, however these are bracketed.
    void bindInputs(const mil::Block &block, const mil::Operation &holder)
    {
        std::vector<const mil::Reference *> variables;
        if (const mil::Argument *loopVars = holder.input("loop_vars")) {
            for (const mil::ProgramValue &value : loopVars->values) {
                forEachValue(value, [&variables](const mil::ProgramValue &each) {
                    if (!std::holds_alternative<mil::Values>(each.content))
                        variables.push_back(each.reference());
                });
            }
        }
        for (std::size_t i = 0; i < block.inputs.size(); ++i) {
            const std::size_t inner = define(block.inputs[i], Definition::kNoOperation, i);
            const mil::Reference *variable = i < variables.size() ? variables[i] : nullptr;
            const std::size_t outer = variable ? m_graph.resolve(*variable) : ValueGraph::kNone;
            if (outer != ValueGraph::kNone)
                m_graph.m_definitions[outer].aliases.push_back(inner);
        }
    }

    void endBlock(std::size_t hiddenBefore)
    {
        while (m_hidden.size() > hiddenBefore) {
            m_visible[m_hidden.back().name] = m_hidden.back().definition;
            m_hidden.pop_back();
        }
    }

    ValueGraph &m_graph;
    std::unordered_map<std::string_view, std::size_t> m_visible;
    std::vector<Hidden> m_hidden;
    std::vector<Later> m_later;
    bool m_hasJumps = false;
};

ValueGraph::ValueGraph(const mil::Function &function)
{
    GraphBuilder(*this).run(function);
}

std::size_t ValueGraph::resolve(const mil::Reference &reference) const
{
    const auto found = m_references.find(&reference);
    return found == m_references.end() ? kNone : found->second;
}

const mil::Operation *ValueGraph::maker(const Definition &definition) const
{
    return definition.operation == Definition::kNoOperation
               ? nullptr
               : m_operations[definition.operation].operation;
}

const Definition *ValueGraph::definition(const mil::ProgramValue &operand) const
{
    const mil::Reference *reference = operand.reference();
    const std::size_t definition = reference ? resolve(*reference) : kNone;
    return definition == kNone ? nullptr : &m_definitions[definition];
}

const mil::Operation *ValueGraph::maker(const mil::ProgramValue &operand) const
{
    const Definition *made = definition(operand);
    return made ? maker(*made) : nullptr;
}

const mil::ProgramValue *ValueGraph::constant(const mil::ProgramValue &operand) const
{
    const mil::ProgramValue *value = &operand;
    if (operand.reference()) {
        const mil::Operation *operation = maker(operand);
        value = operation && operation->type == "const" ? operation->operand("val") : nullptr;
    }
    return value && (value->blob() || value->literal()) ? value : nullptr;
}

const mil::Literal *ValueGraph::literal(const mil::Operation &operation,
                                        std::string_view operand) const
{
    const mil::ProgramValue *value = operation.operand(operand);
    const mil::ProgramValue *found = value ? constant(*value) : nullptr;
    return found ? found->literal() : nullptr;
}

const mil::ValueType *ValueGraph::typeOf(const mil::ProgramValue &operand) const
{
    if (!operand.reference())
        return &operand.type;
    const Definition *made = definition(operand);
    return made ? made->type : nullptr;
}

} // namespace kernscope
