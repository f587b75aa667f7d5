// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/infer.h"

#include "core/base/csv.h"
#include "core/base/error_builder.h"
#include "core/bundle/shapes/walk.h"
#include "core/container/mil/type_text.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace kernscope::shapes {

namespace {

tl::unexpected<Error> wrong(std::string expected, std::string found, std::string message)
{
    return refused("cli.option", "--shape", std::move(expected), std::move(found),
                   std::move(message));
}

/// Functions that call each other, deeper than any compiler writes.
constexpr int kMaxDepth = 32;

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

class Inference
{
public:
    Inference(mil::Program &program, std::string_view file)
        : m_program(program), m_file(file), m_called(calledFunctions(program)),
          m_walks(program.functions.size())
    {
    }

    Result<void> bind(const ShapeBinding &binding);
    Summary run();

private:
    struct State {
        std::unique_ptr<Walk> walk;
        std::vector<Tensor> inputs;
        bool running = false;
    };

    std::string inputsText() const;
    std::vector<ShapeInput> placesOf(const std::string &input) const;
    std::vector<Tensor> inputsOf(std::size_t function) const;
    void nameOpenInputs(std::size_t index);
    void runFunction(std::size_t index, std::vector<Tensor> inputs);
    RuleResult call(std::size_t caller, const OperationView &view);

    mil::Program &m_program;
    std::string m_file;
    Functions m_called;
    std::map<ShapeInput, Dims> m_bound;
    std::vector<State> m_walks;
    int m_depth = 0; ///< functions at hand, each called by the one before
    Summary m_summary;
};

/// "x tensor<fp16, [1, ?]>, main/y …", for messages.
std::string Inference::inputsText() const
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

std::vector<ShapeInput> Inference::placesOf(const std::string &input) const
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

Result<void> Inference::bind(const ShapeBinding &binding)
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
        return wrong(candidates, binding.input, "Several functions have an input of that name.");
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

std::vector<Tensor> Inference::inputsOf(std::size_t function) const
{
    std::vector<Tensor> inputs(m_program.functions[function].inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (const auto bound = m_bound.find({function, i}); bound != m_bound.end())
            inputs[i].dims = bound->second;
    }
    return inputs;
}

/// Inputs that stay open beside one that was bound: what is made of them has no shape either.
void Inference::nameOpenInputs(std::size_t index)
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

RuleResult Inference::call(std::size_t caller, const OperationView &view)
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
        if (!state.walk && m_depth >= kMaxDepth)
            return unknown("too many functions call each other");
        if (!state.walk)
            runFunction(i, std::move(inputs));
        else if (!std::equal(inputs.begin(), inputs.end(), state.inputs.begin(), state.inputs.end(),
                             [](const Tensor &a, const Tensor &b) { return a.dims == b.dims; }))
            return unknown("it calls a function with another shape than before");
        RuleResult outcome;
        outcome.outputs = state.walk->results();
        return outcome;
    }
    return unknown("the function that it calls is not known");
}

void Inference::runFunction(std::size_t index, std::vector<Tensor> inputs)
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

Summary Inference::run()
{
    // Functions that others call take their shapes from there; one that only calls itself has none.
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

} // namespace

std::vector<OpenInput> openInputs(const mil::Program &program)
{
    const Functions called = calledFunctions(program);
    std::vector<OpenInput> inputs;
    for (const mil::Function &function : program.functions) {
        if (called.contains({function.model, function.name}))
            continue;
        for (const mil::NamedType &input : function.inputs) {
            const auto &dims = input.type.dims;
            const bool open = std::any_of(dims.begin(), dims.end(),
                                          [](std::int64_t extent) { return extent < 0; });
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
        if (auto bound = inference.bind(binding); !bound)
            return tl::unexpected(std::move(bound.error()));
    }
    return inference.run();
}

} // namespace kernscope::shapes
