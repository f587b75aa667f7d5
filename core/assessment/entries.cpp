// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/entries.h"

#include "core/base/quantity.h"

#include <unordered_map>

namespace kernscope {

std::string functionAddress(const std::string &model, const std::string &function)
{
    if (model.empty() || function.empty())
        return model + function;
    return model + "/" + function;
}

/// The calls of functions of the same model, in order.
void Entries::readCalls(const mil::Block &block, const std::string &model, bool counted,
                        std::vector<Call> &calls) const
{
    for (const mil::Operation &operation : block.operations) {
        const mil::Value *named =
            operation.type == "call" ? operation.operand("function") : nullptr;
        if (named && named->literal() && named->literal()->strings.size() == 1) {
            const auto found = m_numbers.find({model, named->literal()->strings.front()});
            if (found != m_numbers.end())
                calls.push_back({found->second, counted});
        }
        for (const mil::Block &body : operation.blocks)
            readCalls(body, model, false, calls);
    }
}

Entries::Entries(const mil::Program &program)
{
    const std::size_t count = program.functions.size();
    for (std::size_t i = 0; i < count; ++i) {
        const mil::Function &function = program.functions[i];
        m_numbers.emplace(std::pair(function.model, function.name), i);
        m_addresses.push_back(functionAddress(function.model, function.name));
    }
    m_calls.resize(count);
    m_reached.resize(count);
    std::vector<bool> called(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        readCalls(program.functions[i].body, program.functions[i].model, true, m_calls[i]);
        for (const Call &call : m_calls[i])
            called[call.function] = called[call.function] || call.function != i;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!called[i])
            follow(i);
    }
}

/// All functions that a run of `entry` comes to, itself first; empty where there are too many.
std::vector<std::size_t> Entries::calledFrom(std::size_t entry) const
{
    std::vector<std::size_t> order{entry};
    std::unordered_map<std::size_t, bool> seen{{entry, true}};
    std::size_t steps = m_steps;
    for (std::size_t at = 0; at < order.size(); ++at) {
        for (const Call &call : m_calls[order[at]]) {
            if (++steps > kMostSteps)
                return {};
            if (seen.emplace(call.function, true).second)
                order.push_back(call.function);
        }
    }
    return order;
}

/// Counts the runs of every function in one run of `entry`: a function is done once all that call
/// it are, which functions in a ring never are.
void Entries::follow(std::size_t entry)
{
    const std::vector<std::size_t> functions = calledFrom(entry);
    if (functions.empty())
        m_steps = kMostSteps;
    std::unordered_map<std::size_t, std::size_t> open; ///< calls that are not followed yet
    std::unordered_map<std::size_t, Times> times;
    for (const std::size_t function : functions) {
        times.emplace(function, 0);
        for (const Call &call : m_calls[function])
            ++open[call.function];
        m_steps += 1 + m_calls[function].size();
    }
    std::vector<std::size_t> ready;
    if (!functions.empty() && open[entry] == 0) {
        times[entry] = 1;
        ready.push_back(entry);
    }
    while (!ready.empty()) {
        const std::size_t function = ready.back();
        ready.pop_back();
        for (const Call &call : m_calls[function]) {
            Times &sum = times[call.function];
            const Times more = times[function];
            sum = sum && more && call.counted ? checkedAdd(*sum, *more) : std::nullopt;
            if (--open[call.function] == 0)
                ready.push_back(call.function);
        }
    }
    for (const std::size_t function : functions) {
        const bool counted = open[function] == 0;
        m_reached[function].push_back({entry, counted ? times[function] : std::nullopt});
    }
}

std::vector<roofline::Run> Entries::runsOf(const std::string &model,
                                           const std::string &function) const
{
    const auto number = m_numbers.find({model, function});
    if (number == m_numbers.end())
        return {{functionAddress(model, function)}};
    const std::vector<Reached> &reached = m_reached[number->second];
    if (reached.empty() || reached.size() > kMostEntries)
        return {{m_addresses[number->second], std::nullopt}};
    std::vector<roofline::Run> runs;
    for (const Reached &each : reached)
        runs.push_back({m_addresses[each.entry], each.times});
    return runs;
}

} // namespace kernscope
