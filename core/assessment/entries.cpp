// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/entries.h"

#include "core/base/quantity.h"
#include "core/bundle/weight.h"

#include <unordered_map>
#include <unordered_set>

namespace kernscope {

std::string functionAddress(const std::string &model, const std::string &function)
{
    if (model.empty() || function.empty())
        return model + function;
    return model + "/" + function;
}

namespace {

/// The text of an operand that is a string; empty where there is none.
std::string textOf(const mil::Operation &operation, std::string_view name)
{
    const mil::ProgramValue *value = operation.operand(name);
    const mil::Literal *literal = value != nullptr ? value->literal() : nullptr;
    return literal && literal->strings.size() == 1 ? literal->strings.front() : std::string();
}

using Times = std::optional<std::uint64_t>;

Times sumOfTimes(const Times &a, const Times &b)
{
    return a && b ? checkedAdd(*a, *b) : std::nullopt;
}

Times timesProduct(const Times &a, const Times &b)
{
    return a && b ? checkedMultiply(*a, *b) : std::nullopt;
}

} // namespace

/// The calls of functions of the same model, in order.
void Entries::readCalls(const mil::Block &block, const std::string &model, bool counted,
                        std::vector<Call> &calls) const
{
    for (const mil::Operation &operation : block.operations) {
        if (operation.type == "call") {
            const auto found = m_numbers.find({model, textOf(operation, "function")});
            if (found != m_numbers.end())
                calls.push_back({found->second, counted, textOf(operation, "backend")});
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

/// All functions that a run of `first` comes to, itself first, through calls that launch as well or
/// without them; empty where there are too many.
std::vector<std::size_t> Entries::calledFrom(std::size_t first, bool launches) const
{
    std::vector<std::size_t> order{first};
    std::unordered_set<std::size_t> seen{first};
    std::size_t steps = m_steps;
    for (std::size_t at = 0; at < order.size(); ++at) {
        for (const Call &call : m_calls[order[at]]) {
            if (++steps > kMostSteps)
                return {};
            if ((launches || call.backend.empty()) && seen.insert(call.function).second)
                order.push_back(call.function);
        }
    }
    return order;
}

/// The runs of every function in one run of `first`: a function is done once all that call it are,
/// which functions in a ring never are.
Entries::Counts Entries::countFrom(std::size_t first, bool launches)
{
    const std::vector<std::size_t> functions = calledFrom(first, launches);
    if (functions.empty())
        m_steps = kMostSteps;
    Counts times;
    std::unordered_map<std::size_t, std::size_t> open; ///< calls that are not followed yet
    for (const std::size_t function : functions) {
        times.emplace(function, 0);
        for (const Call &call : m_calls[function])
            open[call.function] += launches || call.backend.empty() ? 1U : 0U;
        m_steps += 1 + m_calls[function].size();
    }
    std::vector<std::size_t> ready;
    if (!functions.empty() && open[first] == 0) {
        times[first] = 1;
        ready.push_back(first);
    }
    while (!ready.empty()) {
        const std::size_t function = ready.back();
        ready.pop_back();
        for (const Call &call : m_calls[function]) {
            if (!launches && !call.backend.empty())
                continue;
            Times &sum = times[call.function];
            sum = sumOfTimes(sum, call.counted ? times[function] : std::nullopt);
            if (--open[call.function] == 0)
                ready.push_back(call.function);
        }
    }
    for (auto &[function, count] : times) {
        if (open[function] > 0)
            count.reset();
    }
    return times;
}

/// Notes the runs of every function in one run of `entry`, by the launch that they are part of.
void Entries::follow(std::size_t entry)
{
    const Counts runs = countFrom(entry, true);
    if (runs.empty())
        return;
    std::map<std::pair<std::size_t, std::string>, Times> launches{{{entry, {}}, runs.at(entry)}};
    Times all = 0; ///< launches of the engine that calls name
    for (const auto &[function, times] : runs) {
        for (const Call &call : m_calls[function]) {
            if (call.backend.empty())
                continue;
            Times more;
            if (call.counted)
                more = times;
            Times &sum = launches.try_emplace({call.function, call.backend}, 0).first->second;
            sum = sumOfTimes(sum, more);
            if (call.backend == roofline::kEngineBackend)
                all = sumOfTimes(all, more);
        }
    }
    for (const auto &[launch, times] : launches) {
        for (const auto &[function, within] : countFrom(launch.first, false))
            m_reached[function].push_back(
                {entry, launch.first, launch.second, timesProduct(times, within), times, all});
    }
}

std::vector<roofline::LayerRun> Entries::runsOf(const std::string &model,
                                                const std::string &function) const
{
    const auto number = m_numbers.find({model, function});
    if (number == m_numbers.end())
        return {{functionAddress(model, function)}};
    const std::vector<Reached> &reached = m_reached[number->second];
    if (reached.empty() || reached.size() > kMostEntries) {
        const std::string &address = m_addresses[number->second];
        return {{address, std::nullopt, address}};
    }
    std::vector<roofline::LayerRun> runs;
    for (const Reached &each : reached)
        runs.push_back({m_addresses[each.entry], each.times, m_addresses[each.launch], each.backend,
                        each.launches, each.allLaunches});
    return runs;
}

std::vector<roofline::LayerRun> runsOf(const Entries &entries, const Weight &weight,
                                       const Consumer &consumer)
{
    std::vector<roofline::LayerRun> runs = entries.runsOf(weight.model, weight.function);
    const std::string &selected = consumer.backends.selected;
    for (roofline::LayerRun &run : runs) {
        if (run.backend.empty() && !selected.empty())
            run.backend = selected == roofline::kEngineBackend ? std::string() : selected;
        if (consumer.geometry.insideLoop)
            run.times.reset();
    }
    return runs;
}

} // namespace kernscope
