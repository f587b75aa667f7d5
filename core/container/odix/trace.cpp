// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/trace.h"

#include "core/base/error_builder.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::odix {

namespace {

/// Of instructions that are followed, and numbers that are taken from one path to another.
constexpr std::uint64_t kMostSteps = 2'000'000;

constexpr unsigned kMaxMade = 12;               ///< calls that make a constant in a row
constexpr unsigned kMaxCalls = 16;              ///< of functions by functions
constexpr std::uint64_t kMaxSteps = 10'000'000; ///< loops or calls, times views: more than any has

/// How one function uses the views that it makes.
class ViewUse
{
public:
    /// `steps`: taken so far, in all functions.
    ViewUse(const Program &program, std::uint32_t function, const std::string &file,
            std::size_t firstView, std::uint64_t &steps, Trace &trace)
        : m_program(program), m_index(function), m_code(program.functions[function]), m_file(file),
          m_steps(steps), m_trace(trace), m_held(m_code.registers.size())
    {
        for (std::size_t v = firstView; v < trace.views.size(); ++v) {
            if (trace.views[v].function == function)
                m_made.emplace(trace.views[v].instruction, static_cast<std::uint32_t>(v));
        }
    }

    void run()
    {
        if (!m_made.empty()) {
            findUses();
            keepThroughLoops();
        }
        m_trace.faithful[m_index] = checkReads();
    }

private:
    /// What an array holds: the number of the write that gave it that.
    struct Content {
        std::uint32_t write = 0;
        bool over = false; ///< through another view of the same bytes
    };

    void findUses()
    {
        followFlow(m_code, {}, [this](Holdings &held, std::uint32_t index) {
            const Instruction &each = m_code.code[index];
            const auto operands = m_code.operandsOf(each), results = m_code.resultsOf(each);
            for (std::size_t k = 0; k < operands.size(); ++k)
                use(held, operands[k], each.first + k, index);
            const auto made = m_made.find(index);
            if (each.is(Opcode::Move) && operands.size() == 1 && results.size() == 1)
                return held.move(operands[0], results[0]);
            for (std::size_t k = 0; k < results.size(); ++k) {
                if (made != m_made.end())
                    held.put(results[k], made->second);
                else if (each.is(Opcode::Call)) // writes into the array
                    use(held, results[k], each.first + each.operands + k, index);
                else if (!each.is(Opcode::SetContext))
                    held.clear(results[k]);
            }
        });
        // Parts are made after what they are parts of.
        for (auto at = m_made.rbegin(); at != m_made.rend(); ++at) {
            const View &part = m_trace.views[at->second];
            if (part.outer) {
                View &outer = m_trace.views[*part.outer];
                outer.last = std::max(outer.last, part.last);
            }
        }
    }

    void use(const Holdings &held, std::uint32_t reg, std::size_t place, std::uint32_t index)
    {
        m_held[place] = held.of(reg);
        for (const std::uint32_t each : m_held[place]) {
            View &view = m_trace.views[each];
            view.last = std::max(view.last, index);
            if (index < view.instruction)
                m_usedBefore.emplace(each, index);
        }
    }

    /// What was there before a loop and is used in it is used again after its jump back; what is
    /// used before it is made was made the time before.
    void keepThroughLoops()
    {
        for (std::uint32_t i = 0; i < m_code.code.size(); ++i) {
            const Instruction &jump = m_code.code[i];
            if ((!jump.is(Opcode::Jump) && !jump.is(Opcode::Branch)) || jump.value > i)
                continue;
            m_steps += m_made.size();
            if (m_steps > kMaxSteps)
                return;
            const auto begin = static_cast<std::uint32_t>(jump.value);
            for (const auto &[instruction, v] : m_made) {
                View &view = m_trace.views[v];
                const auto used = m_usedBefore.find(v);
                const bool before =
                    instruction < begin || (used != m_usedBefore.end() && used->second >= begin);
                if (before && view.last >= begin && view.last < i)
                    view.last = i;
            }
        }
    }

    static bool overlap(const View &a, const View &b)
    {
        return a.buffer == b.buffer && a.bytes && b.bytes && a.offset < b.offset + *b.bytes &&
               b.offset < a.offset + *a.bytes;
    }

    bool isPart(std::size_t view, std::size_t of) const
    {
        std::optional<std::size_t> at = view;
        while (at && *at != of)
            at = m_trace.views[*at].outer;
        return at.has_value();
    }

    /// Whether the function is faithful; warns of arrays that are read after another one was
    /// written over them, on a way without jumps.
    bool checkReads()
    {
        const Symbol &symbol = m_program.symbolOf(m_code);
        const auto inputs = static_cast<std::uint32_t>(symbol.inputs.size());
        for (std::uint32_t i = 0; i < inputs + symbol.outputs.size(); ++i) {
            if (i < inputs || symbol.intents[i - inputs] == 1)
                m_known.insert(i);
        }
        std::set<std::uint32_t> targets;
        for (const Instruction &each : m_code.code) {
            if (each.is(Opcode::Jump) || each.is(Opcode::Branch))
                targets.insert(static_cast<std::uint32_t>(each.value));
        }
        bool faithful = targets.empty() && std::ranges::all_of(m_made, [this](const auto &made) {
                            return m_trace.views[made.second].bytes.has_value();
                        });
        for (std::uint32_t i = 0; i < m_code.code.size(); ++i) {
            if (targets.count(i) > 0) {
                m_contents.clear();
                m_written.clear();
            }
            faithful &= check(i);
            m_steps += m_contents.size();
            if (m_steps > kMaxSteps)
                return false;
        }
        return faithful;
    }

    bool check(std::uint32_t index)
    {
        const Instruction &each = m_code.code[index];
        const auto results = m_code.resultsOf(each);
        const Symbol *callee = m_program.callee(each);
        if (callee == nullptr || callee->isPlumbing()) {
            if (each.is(Opcode::Jump))
                m_contents.clear();
            const auto operands = m_code.operandsOf(each);
            const bool copies = each.is(Opcode::Move) && operands.size() == 1;
            for (const std::uint32_t reg : results) {
                const auto from = copies ? m_written.find(operands[0]) : m_written.end();
                const std::uint32_t write = from == m_written.end() ? 0 : from->second;
                const bool known = copies && m_known.count(operands[0]) > 0;
                m_written.erase(reg);
                m_known.erase(reg);
                if (write > 0)
                    m_written[reg] = write;
                if (known)
                    m_known.insert(reg);
            }
            if (callee != nullptr)
                return m_made.count(index) > 0 || callee->name == "NDArray.alloc_const";
            return findCode("opcode", each.opcode) != nullptr;
        }
        bool faithful = callee->kernel;
        for (std::size_t k = 0; k < each.operands; ++k)
            faithful &= isRead(index, k);
        for (std::size_t k = 0; k < each.results; ++k)
            faithful &= write(index, k);
        return faithful;
    }

    /// Whether an operand is known to be what was last written there.
    bool isRead(std::uint32_t index, std::size_t operand)
    {
        const Instruction &each = m_code.code[index];
        const std::size_t place = each.first + operand;
        const std::uint32_t reg = m_code.registers[place];
        const auto &views = m_held[place];
        if (views.empty())
            return m_known.count(reg) > 0 || m_trace.values[m_index][place].isConstant();
        const auto seen = m_written.find(reg);
        const auto holds = m_contents.find(views.front());
        if (views.size() > 1 || seen == m_written.end() || holds == m_contents.end())
            return false;
        if (holds->second.write == seen->second)
            return true;
        if (std::exchange(holds->second.over, false)) {
            const View &view = m_trace.views[views.front()];
            m_trace.diagnostics.push_back(
                {Severity::Warning,
                 valueError(
                     {m_file, each.at}, "odix.overlap",
                     fmt::format("function {} instruction {}", m_index, index),
                     fmt::format("{} bytes at {} as they were written", *view.bytes, view.offset),
                     "another array there",
                     "An array is read after another one was written over it.")});
        }
        return false;
    }

    bool write(std::uint32_t index, std::size_t result)
    {
        const Instruction &each = m_code.code[index];
        const std::size_t place = each.first + each.operands + result;
        const std::uint32_t reg = m_code.registers[place];
        const auto &views = m_held[place];
        if (views.empty()) {
            m_known.insert(reg);
            return true;
        }
        for (const std::uint32_t view : views)
            m_contents.erase(view);
        m_written.erase(reg);
        if (views.size() > 1)
            return false;
        const View &own = m_trace.views[views.front()];
        for (auto &[v, content] : m_contents) {
            if (overlap(m_trace.views[v], own))
                content = {index + 1, !isPart(v, views.front()) && !isPart(views.front(), v)};
        }
        m_contents[views.front()] = {index + 1, false};
        m_written[reg] = index + 1;
        // What a kernel makes of an array in its own place depends on the kernel.
        for (std::size_t k = each.first; k < each.first + each.operands; ++k) {
            for (const std::uint32_t view : m_held[k]) {
                if (overlap(m_trace.views[view], own))
                    return false;
            }
        }
        return true;
    }

    const Program &m_program;
    std::uint32_t m_index;
    const Function &m_code;
    const std::string &m_file;
    std::uint64_t &m_steps;
    Trace &m_trace;
    std::map<std::uint32_t, std::uint32_t> m_made; ///< views by instruction
    /// By place of Function::registers: the views that it may be.
    std::vector<std::vector<std::uint32_t>> m_held;
    std::map<std::uint32_t, std::uint32_t> m_usedBefore; ///< of views: a use before it is made
    std::map<std::uint32_t, Content> m_contents;         ///< by view that was written
    std::map<std::uint32_t, std::uint32_t> m_written; ///< by register: the write that it stands for
    std::set<std::uint32_t> m_known;                  ///< registers with values that lie in no view
};

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
        m_trace.faithful.resize(count);
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
        ViewUse(m_program, function, m_file, firstView, m_viewSteps, m_trace).run();
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
        for (const std::uint32_t reg : operands)
            values.push_back(state.registers[reg]);
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
            view.outer = around->second;
            view.buffer = outer.buffer;
            view.offset = outer.offset;
            room = outer.bytes.value_or(m_trace.buffers[view.buffer].bytes - outer.offset);
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
        if (const auto bytes = m_program.types[view.type].bytes())
            view.bytes = bytes->value;
        const ByteCount bytes(view.bytes.value_or(0));
        if (!fitsInside({FileOffset(operands[1].index), bytes}, ByteCount(room))) {
            m_trace.diagnostics.push_back(
                {Severity::Error,
                 valueError({m_file, each.at}, "odix.view",
                            fmt::format("function {} instruction {}", state.function, index),
                            fmt::format("a view in {} bytes", room),
                            fmt::format("{} bytes at {}", bytes.value, operands[1].index),
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
    std::uint64_t m_viewSteps = 0;
};

} // namespace

Trace traceProgram(const Program &program, const std::string &file,
                   const std::function<bool(std::string_view)> &decompresses)
{
    Trace trace;
    Tracer(program, file, decompresses, trace).run();
    return trace;
}

void Holdings::move(std::uint32_t from, std::uint32_t to)
{
    const auto all = of(from);
    clear(to);
    for (const std::uint32_t each : all)
        m_all.emplace(to, each);
}

std::vector<std::uint32_t> Holdings::of(std::uint32_t reg) const
{
    std::vector<std::uint32_t> all;
    for (auto at = first(reg); at != m_all.end() && at->first == reg; ++at)
        all.push_back(at->second);
    return all;
}

bool Holdings::merge(const Holdings &other)
{
    const std::size_t before = m_all.size();
    m_all.insert(other.m_all.begin(), other.m_all.end());
    return m_all.size() > before;
}

Holdings followFlow(const Function &function, Holdings start,
                    const std::function<void(Holdings &, std::uint32_t)> &step)
{
    std::map<std::uint32_t, Holdings> brought; // by jumps, to their targets
    std::uint64_t steps = 0;
    for (;;) {
        bool again = false, reached = true;
        Holdings held = start;
        for (std::uint32_t i = 0; i < function.code.size(); ++i) {
            if (const auto found = brought.find(i); found != brought.end()) {
                if (reached)
                    held.merge(found->second);
                else
                    held = found->second;
                reached = true;
                steps += found->second.size();
            }
            if (!reached)
                continue;
            step(held, i);
            const Instruction &each = function.code[i];
            const bool jump = each.is(Opcode::Jump);
            if (jump || each.is(Opcode::Branch)) {
                steps += held.size();
                const auto target = static_cast<std::uint32_t>(each.value);
                if (steps < kMostSteps) {
                    const auto [at, isNew] = brought.try_emplace(target);
                    again |= (at->second.merge(held) || isNew) && target <= i;
                }
                reached = !jump;
            }
        }
        steps += function.code.size();
        if (!again || steps >= kMostSteps)
            return reached ? held : Holdings();
    }
}

} // namespace kernscope::odix
