// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/trace.h"

#include "core/base/error_builder.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

constexpr unsigned kMaxMade = 12;                   ///< calls that make a constant in a row
constexpr unsigned kMaxCalls = 16;                  ///< of functions by functions
constexpr std::uint64_t kMaxLoopSteps = 10'000'000; ///< loops times views: more than any has

class Tracer
{
public:
    Tracer(const Program &program, const std::string &file,
           const std::function<bool(std::string_view)> &decompresses, Trace &trace)
        : m_program(program), m_file(file), m_decompresses(decompresses), m_trace(trace)
    {
    }

    void run()
    {
        const auto count = static_cast<std::uint32_t>(m_program.functions.size());
        m_results.resize(count);
        m_trace.values.resize(count);
        for (std::uint32_t i = 0; i < count; ++i)
            m_functionOf.emplace(m_program.functions[i].symbol, i);
        for (std::size_t i = 0; i < m_program.constants.size(); ++i) {
            const Constant &each = m_program.constants[i];
            m_constantAt.emplace(std::tuple(each.segment, each.offset, each.type), i);
        }
        // Initialisers without buffers begin: they call the others.
        for (const bool outermost : {true, false}) {
            for (std::uint32_t i = 0; i < count; ++i) {
                const Symbol &symbol = m_program.symbolOf(m_program.functions[i]);
                if (!symbol.name.starts_with('$') || symbol.inputs.empty() != outermost)
                    continue;
                const Value context = follow(i, {});
                if (context.kind == Value::Kind::Context)
                    m_contextOf.emplace(symbol.name.substr(1), context);
            }
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto context = m_contextOf.find(m_program.symbolOf(m_program.functions[i]).name);
            follow(i, context == m_contextOf.end() ? std::vector<Value>()
                                                   : std::vector<Value>{context->second});
        }
        for (const auto &slots : m_contexts)
            m_trace.contexts.emplace_back(slots.begin(), slots.end());
    }

private:
    struct State {
        std::uint32_t function = 0;
        std::unordered_map<std::uint32_t, Value> registers;
        std::unordered_map<std::uint32_t, std::size_t> views; ///< that a register holds
    };

    Value follow(std::uint32_t function, const std::vector<Value> &arguments)
    {
        if (m_results[function] || m_depth >= kMaxCalls)
            return m_results[function].value_or(Value());
        m_results[function] = Value(); // also while it is followed: it may call itself
        ++m_depth;
        const Function &code = m_program.functions[function];
        const Symbol &symbol = m_program.symbolOf(code);
        State state;
        state.function = function;
        for (std::uint32_t i = 0; i < std::min(arguments.size(), symbol.inputs.size()); ++i)
            state.registers[i] = arguments[i];
        m_trace.values[function].resize(code.registers.size());
        const std::size_t firstView = m_trace.views.size();
        for (std::uint32_t i = 0; i < code.code.size(); ++i)
            step(state, i);
        keepThroughLoops(function, firstView);
        if (symbol.outputs.size() == 1)
            m_results[function] = state.registers[static_cast<std::uint32_t>(symbol.inputs.size())];
        --m_depth;
        return *m_results[function];
    }

    void step(State &state, std::uint32_t index)
    {
        const Function &function = m_program.functions[state.function];
        const Instruction &each = function.code[index];
        const auto operands = function.operandsOf(each), results = function.resultsOf(each);
        std::vector<Value> values;
        for (const std::uint32_t reg : operands) {
            values.push_back(state.registers[reg]);
            if (const auto view = state.views.find(reg); view != state.views.end())
                m_trace.views[view->second].last = index;
        }
        std::ranges::copy(values, m_trace.values[state.function].begin() + each.first);
        Value made;
        switch (static_cast<Opcode>(each.opcode)) {
        case Opcode::LoadImm:
            made = {Value::Kind::Immediate, static_cast<std::uint64_t>(each.value)};
            break;
        case Opcode::LoadDs:
            made = {Value::Kind::Address, m_addresses.size()};
            m_addresses.emplace_back(each.segment, static_cast<std::uint64_t>(each.value));
            break;
        case Opcode::GetContext:
            if (values.size() == 1)
                made = slotOf(values[0], static_cast<std::uint64_t>(each.value));
            break;
        case Opcode::SetContext:
            if (values.size() == 1 && results.size() == 1)
                setSlot(state.registers[results[0]], static_cast<std::uint64_t>(each.value),
                        values[0]);
            return;
        case Opcode::Call: made = call(state, index, *m_program.callee(each), values); break;
        default: break; // a moved value may be another one in the next round of a loop
        }
        for (const std::uint32_t reg : results) {
            if (made.kind == Value::Kind::View || each.is(Opcode::LoadImm))
                state.views.erase(reg);
            if (made.kind == Value::Kind::View)
                state.views[reg] = made.index;
            if (each.is(Opcode::Move) && operands.size() == 1) {
                if (const auto view = state.views.find(operands[0]); view != state.views.end())
                    state.views[reg] = view->second;
            } else if (const auto view = state.views.find(reg); view != state.views.end()) {
                m_trace.views[view->second].last = index;
            }
            state.registers[reg] = results.size() == 1 ? made : Value();
        }
    }

    Value call(State &state, std::uint32_t index, const Symbol &symbol,
               const std::vector<Value> &operands)
    {
        const Instruction &each = m_program.functions[state.function].code[index];
        if (!symbol.kernel) {
            const auto function = m_functionOf.find(static_cast<std::uint64_t>(each.value));
            return function == m_functionOf.end() ? Value() : follow(function->second, operands);
        }
        if (symbol.name == "NDArray.alloc_const" && operands.size() == 1) {
            if (operands[0].kind != Value::Kind::Address || symbol.outputs.size() != 1)
                return {};
            const auto [segment, offset] = m_addresses[operands[0].index];
            const auto found = m_constantAt.find({segment, offset, symbol.outputs[0]});
            return found == m_constantAt.end() ? Value()
                                               : Value{Value::Kind::Constant, found->second};
        }
        if (symbol.name == "NDArray.alloc" && symbol.outputs.size() == 1 && symbol.inputs.empty() &&
            symbol.outputs[0] != kNone) {
            const auto bytes = m_program.types[symbol.outputs[0]].bytes();
            m_trace.buffers.push_back(
                {state.function, index, symbol.outputs[0], bytes.value_or(ByteCount()).value});
            return {Value::Kind::Memory, m_trace.buffers.size() - 1};
        }
        if (symbol.name == "NDArray.alloc_view")
            return viewOf(state, index, symbol, operands);
        if (symbol.name == "Context.alloc") {
            m_contexts.emplace_back();
            return {Value::Kind::Context, m_contexts.size() - 1};
        }
        const bool constant = !operands.empty() && symbol.outputs.size() == 1 &&
                              symbol.outputs[0] != kNone && m_decompresses(symbol.name) &&
                              std::ranges::all_of(operands, &Value::isConstant);
        unsigned depth = 0;
        for (const Value &operand : operands) {
            if (operand.kind == Value::Kind::Made)
                depth = std::max(depth, m_trace.made[operand.index].depth + 1);
        }
        if (!constant || depth > kMaxMade)
            return {};
        m_trace.made.push_back({state.function, index, operands, depth});
        return {Value::Kind::Made, m_trace.made.size() - 1};
    }

    Value viewOf(State &state, std::uint32_t index, const Symbol &symbol,
                 const std::vector<Value> &operands)
    {
        const bool known = operands.size() == 2 && operands[1].kind == Value::Kind::Immediate &&
                           symbol.outputs.size() == 1 && symbol.outputs[0] != kNone;
        if (!known)
            return {};
        const Function &function = m_program.functions[state.function];
        const Instruction &each = function.code[index];
        View view;
        std::uint64_t room = 0;
        // A register that was written since it became a view still is one.
        const auto around = state.views.find(function.operandsOf(each)[0]);
        if (around != state.views.end()) {
            const View &outer = m_trace.views[around->second];
            view.buffer = outer.buffer;
            view.offset = outer.offset;
            room = outer.bytes;
        } else if (operands[0].kind == Value::Kind::Memory) {
            view.buffer = operands[0].index;
            room = m_trace.buffers[view.buffer].bytes;
        } else {
            return {};
        }
        view.function = state.function;
        view.instruction = view.last = index;
        view.reg = function.resultsOf(each)[0];
        view.type = symbol.outputs[0];
        view.bytes = m_program.types[view.type].bytes().value_or(ByteCount()).value;
        if (!fitsInside({FileOffset(operands[1].index), ByteCount(view.bytes)}, ByteCount(room))) {
            m_trace.diagnostics.push_back(
                {Severity::Error,
                 valueError({m_file, each.at}, "odix.view",
                            fmt::format("function {} instruction {}", state.function, index),
                            fmt::format("a view in {} bytes", room),
                            fmt::format("{} bytes at {}", view.bytes, operands[1].index),
                            "A view does not fit its memory.")});
            return {};
        }
        view.offset += operands[1].index;
        m_trace.views.push_back(view);
        return {Value::Kind::View, m_trace.views.size() - 1};
    }

    void setSlot(const Value &context, std::uint64_t slot, const Value &value)
    {
        if (context.kind == Value::Kind::Context)
            m_contexts[context.index][slot] = value;
    }

    Value slotOf(const Value &context, std::uint64_t slot) const
    {
        if (context.kind != Value::Kind::Context)
            return {};
        const auto found = m_contexts[context.index].find(slot);
        return found == m_contexts[context.index].end() ? Value() : found->second;
    }

    /// What was there before a loop and is used in it is used again after its jump back.
    void keepThroughLoops(std::uint32_t function, std::size_t firstView)
    {
        const auto &code = m_program.functions[function].code;
        for (std::uint32_t i = 0; i < code.size(); ++i) {
            if ((!code[i].is(Opcode::Jump) && !code[i].is(Opcode::Branch)) || code[i].value > i)
                continue;
            m_loopSteps += m_trace.views.size() - firstView;
            if (m_loopSteps > kMaxLoopSteps)
                return;
            for (std::size_t v = firstView; v < m_trace.views.size(); ++v) {
                View &view = m_trace.views[v];
                const auto begin = static_cast<std::uint32_t>(code[i].value);
                if (view.function == function && view.instruction < begin && view.last >= begin &&
                    view.last < i)
                    view.last = i;
            }
        }
    }

    const Program &m_program;
    std::string m_file;
    const std::function<bool(std::string_view)> &m_decompresses;
    Trace &m_trace;
    std::vector<std::map<std::uint64_t, Value>> m_contexts;
    std::map<std::string, Value, std::less<>> m_contextOf; ///< by graph
    std::map<std::uint64_t, std::uint32_t> m_functionOf;   ///< by symbol
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::uint64_t>
        m_constantAt; ///< by segment, offset and type
    std::vector<std::pair<std::uint32_t, std::uint64_t>> m_addresses;
    std::vector<std::optional<Value>> m_results; ///< of functions that were followed
    unsigned m_depth = 0;
    std::uint64_t m_loopSteps = 0;
};

} // namespace

Trace traceProgram(const Program &program, const std::string &file,
                   const std::function<bool(std::string_view)> &decompresses)
{
    Trace trace;
    Tracer(program, file, decompresses, trace).run();
    return trace;
}

} // namespace kernscope::odix
