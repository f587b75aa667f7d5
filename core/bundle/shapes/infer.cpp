// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/infer.h"

#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/bundle/shapes/rules.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

namespace kernscope::shapes {

namespace {

/// Bodies of loops are gone through until their shapes no longer change: at most so often, and only
/// that many of them within each other. Beyond that their variables have the declared shapes.
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

tl::unexpected<Error> wrong(std::string expected, std::string found, std::string message)
{
    return refused("cli.option", "--shape", std::move(expected), std::move(found),
                   std::move(message));
}

/// Functions that call each other, deeper than any compiler writes.
constexpr int kMaxCallDepth = 32;

/// Where an input is: of which function and which of its inputs.
struct ShapeInput {
    std::size_t function = 0, input = 0;
    friend auto operator<=>(const ShapeInput &, const ShapeInput &) = default;
};

std::string addressOf(const mil::Function &function, const std::string &input)
{
    std::string address;
    for (const std::string *step : {&function.model, &function.name}) {
        if (!step->empty())
            address += *step + "/";
    }
    return address + input;
}

using Functions = std::set<std::pair<std::string, std::string>>; ///< model and name

/// The functions that those of a block call.
void collectCalls(const mil::Function &function, const mil::Block &block, Functions &called)
{
    for (const mil::Operation &operation : block.operations) {
        const mil::ProgramValue *named =
            operation.type == "call" ? operation.operand("function") : nullptr;
        if (named && named->literal() && named->literal()->strings.size() == 1)
            called.emplace(function.model, named->literal()->strings.front());
        for (const mil::Block &body : operation.blocks)
            collectCalls(function, body, called);
    }
}

Functions calledFunctions(const mil::Program &program)
{
    Functions called;
    for (const mil::Function &function : program.functions)
        collectCalls(function, function.body, called);
    return called;
}

/// Follows the shapes of one function from its inputs to its outputs.
class Walk
{
public:
    /// What a call in this function gives back: the called function's outputs.
    using Call = std::function<RuleResult(const OperationView &)>;

    Walk(const mil::Function &function, std::string_view file, Summary &summary, Call call);

    /// Goes through the function with its declared types, `inputs` in place of those that are
    /// known better (one each, in order).
    void run(const std::vector<Tensor> &inputs)
    {
        for (std::size_t i = 0; i < m_function.inputs.size(); ++i)
            set(m_function.inputs[i], i < inputs.size() && inputs[i].dims
                                          ? inputs[i]
                                          : declared(m_function.inputs[i].type));
        walkBlock(m_function.body);
    }
    /// Of the body's outputs.
    std::vector<Tensor> results() const { return outputsOf(m_function.body); }
    /// Writes what is known into the open extents of the function's types.
    void fill(mil::Function &function)
    {
        for (mil::NamedType &input : function.inputs)
            fillType(input);
        fillBlock(function.body);
    }

private:
    void walkBlock(const mil::Block &block)
    {
        for (const mil::Operation &operation : block.operations)
            walkOperation(operation);
    }
    void walkOperation(const mil::Operation &operation)
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

    RuleResult outcomeOf(const mil::Operation &operation, const OperationView &view)
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
    RuleResult branches(const mil::Operation &operation)
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
                if (narrow(outcome.outputs[at], at < outputs.size() ? outputs[at] : Tensor()) &&
                    known)
                    outcome.unknown = "its branches make different shapes";
            }
        }
        for (Tensor &each : outcome.outputs)
            each.numbers.reset();
        return outcome;
    }

    /// One time through the bodies of a loop, its variables as they are known.
    void walkBodies(const mil::Operation &operation, const std::vector<Tensor> &variables)
    {
        for (const mil::Block &block : operation.blocks) {
            for (std::size_t i = 0; i < block.inputs.size(); ++i)
                set(block.inputs[i], i < variables.size() && variables[i].dims
                                         ? variables[i]
                                         : declared(block.inputs[i].type));
            walkBlock(block);
        }
    }
    RuleResult loop(const mil::Operation &operation, const OperationView &view)
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

    /// A block's outputs are names only: the last definition of each within it, or around it.
    std::vector<Tensor> outputsOf(const mil::Block &block) const
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

    void set(const mil::NamedType &output, Tensor tensor)
    {
        const auto found = m_definitions.find(&output.type);
        if (found != m_definitions.end())
            m_tensors[found->second] = std::move(tensor);
    }
    /// The declared extents, and in place of open ones those that follow.
    Tensor merged(const mil::Operation &operation, const mil::NamedType &output, Tensor inferred,
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

    /// Names the operation where shapes get lost: not those after it.
    void report(const mil::Operation &operation, const OperationView &view,
                const RuleResult &outcome, const std::vector<bool> &open)
    {
        const auto first = std::ranges::find(open, true);
        const auto inputs = view.inputs();
        const bool given = std::ranges::all_of(inputs, &Tensor::complete);
        if (m_silent > 0 || first == open.end() || !given ||
            (!operation.blocks.empty() && outcome.unknown.empty()))
            return;
        const auto at = static_cast<std::size_t>(first - open.begin());
        const std::string reason =
            outcome.unknown.empty() ? "an extent is too large" : outcome.unknown;
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

    void reportConflict(const mil::Operation &operation, const std::string &field,
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

    void fillBlock(mil::Block &block)
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
    void fillType(mil::NamedType &named)
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

    const mil::Function &m_function;
    std::string m_file;
    Summary &m_summary;
    Call m_call;
    ValueGraph m_graph;
    std::vector<Tensor> m_tensors; ///< one a definition of the graph
    std::unordered_map<const mil::ValueType *, std::size_t> m_definitions;
    std::unordered_map<std::string_view, std::size_t> m_byName; ///< the last one of each name
    int m_loops = 0;                                            ///< around the operation at hand
    int m_silent = 0; ///< within a body that is gone through again: nothing is reported
};

class Inference
{
public:
    Inference(mil::Program &program, std::string_view file)
        : m_program(program), m_file(file), m_called(calledFunctions(program)),
          m_walks(program.functions.size())
    {
    }

    Result<void> bind(const ShapeBinding &binding)
    {
        const auto places = placesOf(binding.input);
        if (places.empty())
            return wrong(inputsText(), binding.input, "The program has no such input.");
        if (places.size() > 1) {
            std::string candidates;
            for (const ShapeInput &place : places) {
                const mil::Function &function = m_program.functions[place.function];
                candidates += (candidates.empty() ? "" : " or ") +
                              addressOf(function, function.inputs[place.input].name);
            }
            return wrong(candidates, binding.input,
                         "Several functions have an input of that name.");
        }
        const mil::Function &function = m_program.functions[places.front().function];
        const mil::NamedType &input = function.inputs[places.front().input];
        const mil::ValueType &type = input.type;
        const std::string expected = mil::typeText(type);
        if (!type.isTensor())
            return wrong("an input that is a tensor", input.name + " " + expected,
                         "Only a tensor's extents can be bound.");
        const bool anyRank = type.dims.size() == 1 && type.dims.front() < 0;
        bool fits = type.dims.size() == binding.dims.size() || anyRank;
        for (std::size_t i = 0; fits && !anyRank && i < type.dims.size(); ++i)
            fits = type.dims[i] < 0 || binding.dims[i] < 0 || type.dims[i] == binding.dims[i];
        if (!fits)
            return wrong(input.name + " " + expected, dimsText(binding.dims),
                         type.dims.size() == binding.dims.size()
                             ? "The shape contradicts the one that the program declares."
                             : "The input has another number of axes.");
        Dims dims = binding.dims;
        for (std::size_t i = 0; i < dims.size() && i < type.dims.size() && !anyRank; ++i)
            dims[i] = dims[i] < 0 ? type.dims[i] : dims[i];
        if (!m_bound.emplace(places.front(), dims).second)
            return wrong("one shape an input", binding.input, "An input is bound twice.");
        m_summary.bound.push_back({addressOf(function, input.name), std::move(dims)});
        return {};
    }

    Summary run()
    {
        // Functions that others call take their shapes from there; one that only calls itself has
        // none.
        for (const bool called : {false, true}) {
            for (std::size_t i = 0; i < m_program.functions.size(); ++i) {
                const mil::Function &function = m_program.functions[i];
                if (m_walks[i].walk || m_called.contains({function.model, function.name}) != called)
                    continue;
                nameOpenInputs(i);
                runFunction(i, inputsOf(i));
            }
        }
        for (std::size_t i = 0; i < m_program.functions.size(); ++i)
            m_walks[i].walk->fill(m_program.functions[i]);
        return std::move(m_summary);
    }

private:
    struct State {
        std::unique_ptr<Walk> walk;
        std::vector<Tensor> inputs;
        bool running = false;
    };

    /// "x tensor<fp16, [1, ?]>, main/y …", for messages.
    std::string inputsText() const
    {
        constexpr std::size_t kShown = 12;
        std::string text;
        std::size_t count = 0;
        for (const mil::Function &function : m_program.functions) {
            for (const mil::NamedType &input : function.inputs) {
                if (m_called.contains({function.model, function.name}) || ++count > kShown)
                    continue;
                const std::string name =
                    m_program.functions.size() > 1 ? addressOf(function, input.name) : input.name;
                text += (text.empty() ? "" : ", ") + name + " " + mil::typeText(input.type);
            }
        }
        return text.empty() ? "a program with inputs" : text + (count > kShown ? ", …" : "");
    }

    std::vector<ShapeInput> placesOf(const std::string &input) const
    {
        std::vector<ShapeInput> places;
        for (std::size_t f = 0; f < m_program.functions.size(); ++f) {
            const mil::Function &function = m_program.functions[f];
            for (std::size_t i = 0; i < function.inputs.size(); ++i) {
                const std::string &name = function.inputs[i].name;
                const bool address =
                    input == addressOf(function, name) || input == function.name + "/" + name;
                const bool isCalled = m_called.contains({function.model, function.name});
                if (address || (input == name && !isCalled))
                    places.push_back({f, i});
            }
        }
        return places;
    }

    std::vector<Tensor> inputsOf(std::size_t function) const
    {
        std::vector<Tensor> inputs(m_program.functions[function].inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (const auto bound = m_bound.find({function, i}); bound != m_bound.end())
                inputs[i].dims = bound->second;
        }
        return inputs;
    }

    /// Inputs that stay open beside one that was bound: what is made of them has no shape either.
    void nameOpenInputs(std::size_t index)
    {
        const mil::Function &function = m_program.functions[index];
        bool anyBound = false;
        for (std::size_t i = 0; i < function.inputs.size(); ++i)
            anyBound = anyBound || m_bound.contains({index, i});
        for (std::size_t i = 0; anyBound && i < function.inputs.size(); ++i) {
            const mil::NamedType &input = function.inputs[i];
            const auto bound = m_bound.find({index, i});
            const bool open = bound != m_bound.end() ? !allKnown(bound->second)
                                                     : input.type.isTensor() && !input.type.shape();
            if (!open)
                continue;
            m_summary.unknown.push_back(
                {function.name, input.name, input.name, "input", "no shape is given for it"});
            ErrorBuilder note("shape.unknown");
            note.file(m_file)
                .field(input.name)
                .expected("a shape for " + addressOf(function, input.name))
                .found(bound != m_bound.end() ? dimsText(bound->second) : mil::typeText(input.type))
                .message("Shape unknown behind input " + input.name + ".");
            if (input.span.length > 0)
                note.at(FileOffset(input.span.offset));
            m_summary.diagnostics.push_back({Severity::Note, note});
        }
    }

    void runFunction(std::size_t index, std::vector<Tensor> inputs)
    {
        State &state = m_walks[index];
        state.running = true;
        ++m_depth;
        state.walk = std::make_unique<Walk>(
            m_program.functions[index], m_file, m_summary,
            [this, index](const OperationView &view) { return call(index, view); });
        state.inputs = std::move(inputs);
        state.walk->run(state.inputs);
        --m_depth;
        state.running = false;
    }

    RuleResult call(std::size_t caller, const OperationView &view)
    {
        const mil::Function &from = m_program.functions[caller];
        const std::string name = view.text("function", {});
        for (std::size_t i = 0; i < m_program.functions.size(); ++i) {
            const mil::Function &called = m_program.functions[i];
            if (called.name != name || called.model != from.model)
                continue;
            std::vector<Tensor> inputs = inputsOf(i);
            for (std::size_t at = 0; at < inputs.size(); ++at) {
                if (!inputs[at].dims)
                    inputs[at].dims = view.operand(called.inputs[at].name).dims;
            }
            State &state = m_walks[i];
            if (state.running)
                return unknown("it calls itself");
            if (!state.walk && m_depth >= kMaxCallDepth)
                return unknown("too many functions call each other");
            if (!state.walk)
                runFunction(i, std::move(inputs));
            else if (!std::ranges::equal(
                         inputs, state.inputs,
                         [](const Tensor &a, const Tensor &b) { return a.dims == b.dims; }))
                return unknown("it calls a function with another shape than before");
            RuleResult outcome;
            outcome.outputs = state.walk->results();
            return outcome;
        }
        return unknown("the function that it calls is not known");
    }

    mil::Program &m_program;
    std::string m_file;
    Functions m_called;
    std::map<ShapeInput, Dims> m_bound;
    std::vector<State> m_walks;
    int m_depth = 0; ///< functions at hand, each called by the one before
    Summary m_summary;
};

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

std::vector<OpenInput> openInputs(const mil::Program &program)
{
    const Functions called = calledFunctions(program);
    std::vector<OpenInput> inputs;
    for (const mil::Function &function : program.functions) {
        if (called.contains({function.model, function.name}))
            continue;
        for (const mil::NamedType &input : function.inputs) {
            const auto &dims = input.type.dims;
            const bool open =
                std::ranges::any_of(dims, [](std::int64_t extent) { return extent < 0; });
            if (!input.type.isTensor() || !open)
                continue;
            inputs.push_back(
                {program.functions.size() > 1 ? addressOf(function, input.name) : input.name,
                 mil::typeText(input.type), dims});
        }
    }
    return inputs;
}

Result<ShapeBinding> parseBinding(std::string_view text)
{
    constexpr std::int64_t kMost = (std::int64_t(1) << 31) - 1;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        return wrong("INPUT=EXTENT,EXTENT,…", std::string(text), "A shape cannot be read.");
    ShapeBinding binding;
    binding.input = text.substr(0, equals);
    for (std::size_t at = equals + 1; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view piece = text.substr(at, comma - at);
        const auto number = piece == "?" ? std::optional(mil::kUnknownExtent) : parseInteger(piece);
        if (!number || (piece != "?" && (*number < 1 || *number > kMost)))
            return wrong("extents from 1 to 2147483647, or ?", std::string(text),
                         "A shape cannot be read.");
        binding.dims.push_back(*number);
        at = comma + 1;
    }
    return binding;
}

Result<Summary> inferShapes(mil::Program &program, const std::vector<ShapeBinding> &bindings,
                            std::string_view file)
{
    Inference inference(program, file);
    for (const ShapeBinding &binding : bindings) {
        TRY(inference.bind(binding));
    }
    return inference.run();
}

} // namespace kernscope::shapes
