// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <unordered_map>

namespace kernscope {

/// An operation of a function, in program order; bodies follow the op that holds them.
struct GraphOperation {
    const mil::Operation *operation = nullptr;
    bool insideLoop = false;         ///< in a body of while_loop or cond
    std::size_t firstDefinition = 0; ///< its outputs are consecutive definitions
};

/// A place where a value is read.
struct Use {
    std::size_t operation = 0; ///< index into operations()
    std::string_view param;
};

/// A value of a function: an op's output, a parameter, or an input of a body.
struct Definition {
    static constexpr std::size_t kNoOperation = static_cast<std::size_t>(-1);

    std::string_view name;
    const mil::ValueType *type = nullptr;
    std::size_t operation = kNoOperation; ///< that makes it; none for parameters
    std::size_t output = 0;               ///< which of its outputs
    std::vector<Use> uses;                ///< in program order
    std::vector<std::size_t> aliases;     ///< inputs of bodies that this value enters as
    /// What a body that gives this value back makes of it: results of its `cond` or `while_loop`,
    /// and variables of the loop's next turn.
    std::vector<std::size_t> yieldedAs;
};

/// Names of one function resolved: who makes which value and who reads it. Bodies see the values
/// around them; `while_loop` hands its loop_vars to the inputs of its bodies, and what the last one
/// gives back to its results, as `cond` does with both. Holds pointers into the function, which
/// must stay where it is.
///
/// The readers of programs have reported names that are undefined, used too early or defined twice:
/// here a reference to them means nothing, or the last definition before it. In compiled programs,
/// which jump back, what is read may be made further on.
class ValueGraph
{
public:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    explicit ValueGraph(const mil::Function &function);

    const std::vector<GraphOperation> &operations() const { return m_operations; }
    const std::vector<Definition> &definitions() const { return m_definitions; }

    /// Index of the definition that a reference means; kNone where it means nothing.
    std::size_t resolve(const mil::Reference &reference) const;
    /// The definition that an operand names; null where it names none.
    const Definition *definition(const mil::ProgramValue &operand) const;
    /// The op that makes a definition; null for parameters and inputs of bodies.
    const mil::Operation *maker(const Definition &definition) const;
    /// The op that makes the value that an operand names; null where it names none.
    const mil::Operation *maker(const mil::ProgramValue &operand) const;
    /// The blob or literal behind an operand: itself, or the value of the const op that it names;
    /// null where it is neither.
    const mil::ProgramValue *constant(const mil::ProgramValue &operand) const;
    /// The literal behind an operand of that name; null where it is none.
    const mil::Literal *literal(const mil::Operation &operation, std::string_view operand) const;
    /// The declared type of an operand's value; null where it is not known.
    const mil::ValueType *typeOf(const mil::ProgramValue &operand) const;

private:
    friend class GraphBuilder;

    std::vector<GraphOperation> m_operations;
    std::vector<Definition> m_definitions;
    std::unordered_map<const mil::Reference *, std::size_t> m_references;
};

/// Every value of `value`'s tree, itself first, the members of tuples after it.
template <class Visitor>
void forEachValue(const mil::ProgramValue &value, const Visitor &visit)
{
    visit(value);
    if (const auto *members = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &member : *members)
            forEachValue(member, visit);
    }
}

/// Every value of an op's arguments and attributes: visit(argument name, value).
template <class Visitor>
void forEachValue(const mil::Operation &operation, const Visitor &visit)
{
    for (const auto *arguments : {&operation.inputs, &operation.attributes}) {
        for (const mil::Argument &argument : *arguments) {
            for (const mil::ProgramValue &value : argument.values)
                forEachValue(value, [&](const mil::ProgramValue &v) { visit(argument.name, v); });
        }
    }
}

} // namespace kernscope
