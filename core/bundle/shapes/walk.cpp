// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/walk.h"

#include "core/base/error_builder.h"
#include "core/container/mil/type_text.h"

#include <algorithm>
#include <utility>

namespace kernscope::shapes {

namespace {

/// Bodies of loops are gone through until their shapes no longer change: at most so often, and only
/// so many of them within each other. Beyond that their variables have the declared shapes.
constexpr int kMaxPasses = 3;
constexpr int kMaxLoops = 3;

Tensor declared(const mil::ValueType &type)
{
    Tensor tensor;
    if (type.isTensor() || type.kind == mil::ValueType::Kind::State)
        tensor.dims = type.dims;
    return tensor;
}

/// A dimension that stands for any number of them.
bool anyRank(const mil::ValueType &type)
{
    return type.dims.size() == 1 && type.dims.front() < 0;
}

/// What both have; true where that is less than `a` had.
bool narrow(Tensor &a, const Tensor &b)
{
    if (!a.dims)
        return false;
    if (!b.dims || b.dims->size() != a.dims->size()) {
        a.dims.reset();
        return true;
    }
    bool less = false;
    for (std::size_t i = 0; i < a.dims->size(); ++i) {
        if ((*a.dims)[i] >= 0 && (*a.dims)[i] != (*b.dims)[i]) {
            (*a.dims)[i] = kUnknown;
            less = true;
        }
    }
    return less;
}

} // namespace

Walk::Walk(const mil::Function &function, std::string_view file, Summary &summary, Call call)
    : m_function(function), m_file(file), m_summary(summary), m_call(std::move(call)),
      m_graph(function), m_tensors(m_graph.definitions().size())
{
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        m_definitions.emplace(m_graph.definitions()[i].type, i);
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        m_byName.insert_or_assign(m_graph.definitions()[i].name, i);
}

void Walk::set(const mil::NamedType &output, Tensor tensor)
{
    const auto found = m_definitions.find(&output.type);
    if (found != m_definitions.end())
        m_tensors[found->second] = std::move(tensor);
}

void Walk::run(const std::vector<Tensor> &inputs)
{
    for (std::size_t i = 0; i < m_function.inputs.size(); ++i)
        set(m_function.inputs[i],
            i < inputs.size() && inputs[i].dims ? inputs[i] : declared(m_function.inputs[i].type));
    walkBlock(m_function.body);
}

std::vector<Tensor> Walk::results() const
{
    return outputsOf(m_function.body);
}

void Walk::walkBlock(const mil::Block &block)
{
    for (const mil::Operation &operation : block.operations)
        walkOperation(operation);
}

/// A block's outputs are names only: the last definition of each within it, or around it.
std::vector<Tensor> Walk::outputsOf(const mil::Block &block) const
{
    std::unordered_map<std::string_view, const mil::ValueType *> inner;
    for (const mil::NamedType &input : block.inputs)
        inner.insert_or_assign(input.name, &input.type);
    for (const mil::Operation &operation : block.operations) {
        for (const mil::NamedType &output : operation.outputs)
            inner.insert_or_assign(output.name, &output.type);
    }
    std::vector<Tensor> outputs;
    for (const std::string &name : block.outputs) {
        const auto found = inner.find(name);
        const auto around = m_byName.find(name);
        if (found != inner.end())
            outputs.push_back(m_tensors[m_definitions.at(found->second)]);
        else
            outputs.push_back(around == m_byName.end() ? Tensor() : m_tensors[around->second]);
    }
    return outputs;
}

RuleResult Walk::branches(const mil::Operation &operation)
{
    RuleResult outcome;
    for (std::size_t i = 0; i < operation.blocks.size(); ++i) {
        walkBlock(operation.blocks[i]);
        auto outputs = outputsOf(operation.blocks[i]);
        if (i == 0)
            outcome.outputs = std::move(outputs);
        for (std::size_t at = 0; i > 0 && at < outcome.outputs.size(); ++at) {
            const bool known =
                outcome.outputs[at].complete() && at < outputs.size() && outputs[at].complete();
            if (narrow(outcome.outputs[at], at < outputs.size() ? outputs[at] : Tensor()) && known)
                outcome.unknown = "its branches make different shapes";
        }
    }
    for (Tensor &each : outcome.outputs)
        each.numbers.reset();
    return outcome;
}

/// One time through the bodies of a loop, its variables as they are known.
void Walk::walkBodies(const mil::Operation &operation, const std::vector<Tensor> &variables)
{
    for (const mil::Block &block : operation.blocks) {
        for (std::size_t i = 0; i < block.inputs.size(); ++i)
            set(block.inputs[i], i < variables.size() && variables[i].dims
                                     ? variables[i]
                                     : declared(block.inputs[i].type));
        walkBlock(block);
    }
}

RuleResult Walk::loop(const mil::Operation &operation, const OperationView &view)
{
    std::vector<Tensor> variables = view.operands("loop_vars");
    for (Tensor &each : variables)
        each.numbers.reset();
    RuleResult outcome;
    bool stable = false;
    const bool deep = m_loops++ >= kMaxLoops;
    ++m_silent;
    for (int pass = 0; !deep && !stable && pass < kMaxPasses; ++pass) {
        walkBodies(operation, variables);
        stable = true;
        const auto next = outputsOf(operation.blocks.back());
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (narrow(variables[i], i < next.size() ? next[i] : Tensor())) {
                stable = false;
                outcome.unknown = "its body changes the shape of a variable";
            }
        }
    }
    --m_silent;
    --m_loops;
    if (!stable) {
        variables.clear();
        if (deep)
            outcome.unknown = "too many loops are within each other";
    }
    walkBodies(operation, variables);
    outcome.outputs = std::move(variables);
    return outcome;
}

RuleResult Walk::outcomeOf(const mil::Operation &operation, const OperationView &view)
{
    if (operation.type == "while_loop" && !operation.blocks.empty())
        return loop(operation, view);
    if (!operation.blocks.empty())
        return branches(operation);
    if (operation.type == "call")
        return m_call(view);
    if (const RuleRow *row = ruleOf(operation.type))
        return row->rule(view, row->operands);
    return unknown("no rule is known for it");
}

/// The declared extents, and in place of open ones those that follow.
Tensor Walk::merged(const mil::Operation &operation, const mil::NamedType &output, Tensor inferred,
                    bool &conflict)
{
    Tensor result = declared(output.type);
    if (output.type.kind == mil::ValueType::Kind::List)
        return inferred; // of an element: the type says it in words only
    if (!result.dims || !inferred.dims)
        return result;
    if (anyRank(output.type))
        return inferred;
    bool fits = result.dims->size() == inferred.dims->size();
    for (std::size_t i = 0; fits && i < result.dims->size(); ++i) {
        std::int64_t &extent = (*result.dims)[i];
        const std::int64_t other = (*inferred.dims)[i];
        fits = extent < 0 || other < 0 || extent == other;
        extent = extent < 0 ? other : extent;
    }
    if (fits)
        return result;
    conflict = true;
    reportConflict(operation, output.name, dimsText(*inferred.dims), typeText(output.type));
    return declared(output.type);
}

void Walk::walkOperation(const mil::Operation &operation)
{
    const OperationView view(operation, m_graph, m_tensors);
    RuleResult outcome = outcomeOf(operation, view);
    outcome.outputs.resize(operation.outputs.size());
    if (outcome.conflict())
        reportConflict(operation, outcome.operand, outcome.expected, outcome.found);
    std::vector<Tensor> outputs;
    std::vector<bool> open;
    bool conflict = outcome.conflict();
    for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
        const mil::NamedType &output = operation.outputs[i];
        outputs.push_back(merged(operation, output, std::move(outcome.outputs[i]), conflict));
        const bool tensor = output.type.isTensor();
        open.push_back(tensor && !outputs.back().complete());
        if (m_silent > 0 || !tensor)
            continue;
        const bool wasOpen = !output.type.shape();
        ++m_summary.values;
        m_summary.open += wasOpen ? 1 : 0;
        m_summary.inferred += wasOpen && !open.back() ? 1 : 0;
    }
    followNumbers(view, outputs);
    if (!conflict)
        report(operation, view, outcome, open);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        set(operation.outputs[i], std::move(outputs[i]));
}

/// Names the operation where shapes get lost: not those after it.
void Walk::report(const mil::Operation &operation, const OperationView &view,
                  const RuleResult &outcome, const std::vector<bool> &open)
{
    const auto first = std::find(open.begin(), open.end(), true);
    const auto inputs = view.inputs();
    const bool given = std::all_of(inputs.begin(), inputs.end(),
                                   [](const Tensor &each) { return each.complete(); });
    if (m_silent > 0 || first == open.end() || !given ||
        (!operation.blocks.empty() && outcome.unknown.empty()))
        return;
    const auto at = static_cast<std::size_t>(first - open.begin());
    const std::string reason = outcome.unknown.empty() ? "an extent is too large" : outcome.unknown;
    m_summary.unknown.push_back({m_function.name, operation.displayName(),
                                 operation.outputs[at].name, operation.type, reason});
    ErrorBuilder note("shape.unknown");
    note.file(m_file)
        .field(operation.displayName())
        .expected("a shape that follows from the inputs")
        .found(reason)
        .message("Shape unknown behind operation " + operation.displayName() + " (" +
                 operation.type + ").");
    if (operation.span.length > 0)
        note.at(FileOffset(operation.span.offset));
    m_summary.diagnostics.push_back({Severity::Note, note});
}

void Walk::reportConflict(const mil::Operation &operation, const std::string &field,
                          const std::string &expected, const std::string &found)
{
    if (m_silent > 0)
        return;
    ++m_summary.conflicts;
    ErrorBuilder error("shape.conflict");
    error.file(m_file)
        .field(operation.displayName() + ": " + field)
        .expected(expected)
        .found(found)
        .message("A shape of the program contradicts what follows from those of its inputs.");
    if (operation.span.length > 0)
        error.at(FileOffset(operation.span.offset));
    m_summary.diagnostics.push_back({Severity::Error, error});
}

void Walk::fillType(mil::NamedType &named)
{
    const auto found = m_definitions.find(&named.type);
    if (found == m_definitions.end() || !named.type.isTensor())
        return;
    const std::optional<Dims> &known = m_tensors[found->second].dims;
    mil::ValueType &type = named.type;
    if (!known || allKnown(type.dims) || (known->size() != type.dims.size() && !anyRank(type)))
        return;
    type.dims = *known;
    type.dimSpans.resize(type.dims.size());
}

void Walk::fillBlock(mil::Block &block)
{
    for (mil::NamedType &input : block.inputs)
        fillType(input);
    for (mil::Operation &operation : block.operations) {
        for (mil::Block &body : operation.blocks)
            fillBlock(body);
        for (mil::NamedType &output : operation.outputs)
            fillType(output);
    }
}

void Walk::fill(mil::Function &function)
{
    for (mil::NamedType &input : function.inputs)
        fillType(input);
    fillBlock(function.body);
}

} // namespace kernscope::shapes
