// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/tensor.h"
#include "core/container/mil/value_graph.h"

/// The shape of what an operation makes, from those of its operands. Which operation follows which
/// rule is a row of resources/tables/shape_rules.csv.
namespace kernscope::shapes {

/// The operands of one operation, with what is known of them, for the rules.
class OperationView
{
public:
    /// `tensors` has a row for each definition of the graph.
    OperationView(const mil::Operation &operation, const ValueGraph &graph,
                  const std::vector<Tensor> &tensors)
        : m_operation(operation), m_graph(graph), m_tensors(tensors)
    {
    }

    const mil::Operation &operation() const { return m_operation; }
    bool has(std::string_view name) const { return m_operation.operand(name) != nullptr; }
    Tensor tensor(const mil::ProgramValue &value) const;
    /// Nothing known of it where there is no such operand.
    Tensor operand(std::string_view name) const;
    /// Every value of an operand that has several, such as concat's `values`.
    std::vector<Tensor> operands(std::string_view name) const;
    /// Every tensor and list among its inputs.
    std::vector<Tensor> inputs() const;

    /// The integers of an operand, all of them known; nothing where it is missing or is not known.
    std::optional<Dims> numbers(std::string_view name) const;
    /// The same, `count` times `fallback` where it is missing; nothing where it has another number
    /// of elements.
    std::optional<Dims> numbers(std::string_view name, std::size_t count,
                                std::int64_t fallback) const;
    /// One integer or boolean; `fallback` where it is missing, nothing where it is not known.
    std::optional<std::int64_t> number(std::string_view name, std::int64_t fallback) const;
    std::optional<std::int64_t> number(std::string_view name) const;
    /// One number of any type that is written in the program.
    std::optional<double> real(std::string_view name) const;
    std::string text(std::string_view name, std::string fallback) const;

private:
    const mil::Operation &m_operation;
    const ValueGraph &m_graph;
    const std::vector<Tensor> &m_tensors;
};

using Operands = std::vector<std::string>;
using Rule = RuleResult (*)(const OperationView &, const Operands &);

/// What a row of the table says of an operation.
struct RuleRow {
    Rule rule = nullptr;
    Operands operands; ///< names that the rule is told, in the order that it takes them
};
/// Null for an operation that no row names.
const RuleRow *ruleOf(std::string_view operation);
/// The rule of that name; null where there is none.
Rule ruleByName(std::string_view name);

struct NamedRule {
    std::string_view name;
    Rule rule;
};
/// Element by element, kernels ([n, channels, spatial …]) and products.
std::span<const NamedRule> productRules();
/// Layouts, parts of a tensor, images.
std::span<const NamedRule> layoutRules();

/// The integers that an operation makes of known ones (`shape`, `gather`, `concat`, `add`, …), so
/// that shapes which a program works out are followed. Added to `outputs`.
void followNumbers(const OperationView &view, std::vector<Tensor> &outputs);

} // namespace kernscope::shapes
