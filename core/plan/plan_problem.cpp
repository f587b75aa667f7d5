// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan_problem.h"

#include "core/base/pattern.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

/// The candidate that is asked for by hand, by row.
Result<std::vector<std::optional<std::size_t>>> forcedOf(const Survey &survey, const Limits &limits)
{
    std::vector<std::optional<std::size_t>> forced(survey.rows.size());
    for (const auto &[pattern, form] : limits.forced) {
        bool any = false;
        for (std::size_t r = 0; r < survey.rows.size(); ++r) {
            const Row &row = survey.rows[r];
            if (!matchesPattern(pattern, survey.names[r]) || !row.candidates)
                continue;
            any = true;
            const auto &all = *row.candidates;
            const auto at =
                std::find_if(all.begin(), all.end(), [&form = form](const Candidate &candidate) {
                    return candidate->name == form;
                });
            if (at == all.end() && form != "dense")
                return refused("plan.forced", survey.names[r], "a form that was tried", form,
                               "This form was not tried for the weight");
            // A dense weight has no candidate of that name: it is kept.
            const std::size_t index =
                at == all.end() ? 0 : static_cast<std::size_t>(at - all.begin());
            if (!all[index]->refused.empty() && index != 0)
                return refused("plan.forced", survey.names[r], form, all[index]->refused,
                               "This form cannot be given to the weight");
            forced[r] = index;
        }
        if (!any)
            return refused("plan.forced", pattern, "the name of a weight that is planned", "none",
                           "No weight that is planned has a name like this");
    }
    return forced;
}

double rowSquaredError(const Row &row, const Candidate &candidate)
{
    const double error = layerError(row, candidate);
    return error * error * row.energy;
}

std::uint64_t mostMoved(const Candidate &candidate)
{
    std::uint64_t most = 0;
    for (const ChipFigures &chip : candidate->chips)
        most = std::max(most, chip.movedAtMost);
    return most;
}

/// Bytes of an item in a form: where it stays, of the parts that are its own.
double storedOf(const Survey &survey, std::size_t row, std::size_t candidate)
{
    if (candidate != 0)
        return static_cast<double>((*survey.rows[row].candidates)[candidate]->stored);
    double own = 0;
    for (const PartBytes &part : survey.parts[survey.rows[row].item])
        own += part.shared ? 0 : static_cast<double>(part.bytes);
    return own;
}

ItemChoice choiceOf(const Survey &survey, const std::vector<std::size_t> &members,
                    std::size_t candidate, Goal goal)
{
    ItemChoice choice;
    choice.stored = storedOf(survey, members.front(), candidate);
    for (const std::size_t member : members) {
        const Row &row = survey.rows[member];
        const Candidate &form = (*row.candidates)[candidate];
        choice.error += rowSquaredError(row, form);
        if (goal == Goal::Time) // no gain is claimed of a time that is not known
            choice.cost += slowest(form).value_or(slowest(row.candidates->front()).value_or(0));
        if (goal == Goal::Moved)
            choice.cost += static_cast<double>(mostMoved(form));
    }
    if (goal == Goal::Stored)
        choice.cost = choice.stored;
    if (goal == Goal::Error)
        choice.cost = choice.error;
    return choice;
}

void addItem(const Survey &survey, const Limits &limits,
             const std::vector<std::optional<std::size_t>> &forced, PlannedItems &network,
             const std::vector<std::size_t> &members)
{
    std::vector<std::size_t> possible, allowed;
    const std::size_t count = survey.rows[members.front()].candidates->size();
    const auto byHand = [&](std::size_t row) { return forced[row].has_value(); };
    const bool hand = std::any_of(members.begin(), members.end(), byHand);
    for (std::size_t c = 0; c < count; ++c) {
        bool legal = true, within = true;
        for (const std::size_t member : members) {
            const Candidate &candidate = (*survey.rows[member].candidates)[c];
            const bool wanted = !hand || !byHand(member) || *forced[member] == c;
            const bool refused = !candidate->refused.empty() && !(byHand(member) && wanted);
            legal = legal && wanted && !refused && std::isfinite(candidate.error);
            within = within && layerError(survey.rows[member], candidate) <= limits.tolerance;
        }
        if (legal)
            possible.push_back(c);
        if (legal && (within || hand))
            allowed.push_back(c);
    }
    network.members.push_back(members);
    network.possible.push_back(std::move(possible));
    network.allowed.push_back(std::move(allowed));
}

} // namespace

namespace {

void take(std::optional<double> &most, const std::optional<double> &time)
{
    if (time)
        most = std::max(most.value_or(0), *time);
}

} // namespace

std::vector<const target::Target *> timedTargets(const Survey &survey)
{
    std::vector<const target::Target *> timed;
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        const bool any = std::any_of(survey.rows.begin(), survey.rows.end(), [t](const Row &row) {
            return row.candidates && row.candidates->front()->chips[t].timeS;
        });
        if (survey.roofs[t].bandwidth && (survey.roofs[t].compute || any))
            timed.push_back(survey.targets[t]);
    }
    return timed;
}

std::optional<double> slowest(const Candidate &candidate)
{
    std::optional<double> most;
    for (const ChipFigures &chip : candidate->chips)
        take(most, chip.timeS);
    return most;
}

std::optional<double> slowest(const PlanTotals &totals)
{
    std::optional<double> most;
    for (const roofline::ProgramTime &program : totals.programs)
        take(most, program.engineTimeS);
    return most;
}

Result<PlannedItems> networkOf(const Survey &survey, const Limits &limits)
{
    const auto forced = forcedOf(survey, limits);
    if (!forced)
        return tl::unexpected(forced.error());
    PlannedItems network;
    std::vector<std::vector<std::size_t>> members(survey.items);
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        network.forced.push_back((*forced)[r].has_value());
        if (survey.rows[r].candidates) {
            members[survey.rows[r].item].push_back(r);
            network.energy += survey.rows[r].energy;
        }
    }
    std::set<std::size_t> stays;
    for (std::size_t i = 0; i < survey.items; ++i) {
        for (const PartBytes &part : survey.parts[i]) {
            if ((members[i].empty() || part.shared) && stays.insert(part.number).second)
                network.fixedStored += part.bytes;
        }
        if (!members[i].empty())
            addItem(survey, limits, *forced, network, members[i]);
    }
    return network;
}

Problem problemOf(const Survey &survey, const PlannedItems &network, const Limits &limits,
                  Goal goal)
{
    Problem problem;
    for (std::size_t i = 0; i < network.members.size(); ++i) {
        problem.items.emplace_back();
        for (const std::size_t candidate : network.allowed[i])
            problem.items.back().push_back(choiceOf(survey, network.members[i], candidate, goal));
    }
    if (limits.totalTolerance)
        problem.mostError = *limits.totalTolerance * *limits.totalTolerance * network.energy;
    if (limits.maxBytes)
        problem.mostStored =
            static_cast<double>(*limits.maxBytes) - static_cast<double>(network.fixedStored);
    return problem;
}

std::vector<std::vector<ItemChoice>> choicesOf(const Survey &survey, const PlannedItems &network,
                                               Goal goal)
{
    std::vector<std::vector<ItemChoice>> items;
    for (std::size_t i = 0; i < network.members.size(); ++i) {
        items.emplace_back();
        for (const std::size_t candidate : network.possible[i])
            items.back().push_back(choiceOf(survey, network.members[i], candidate, goal));
    }
    return items;
}

std::vector<std::size_t> spread(const Survey &survey, const PlannedItems &network,
                                const std::vector<std::size_t> &candidates)
{
    std::vector<std::size_t> choice(survey.rows.size(), 0);
    for (std::size_t i = 0; i < network.members.size() && i < candidates.size(); ++i) {
        for (const std::size_t member : network.members[i])
            choice[member] = candidates[i];
    }
    return choice;
}

} // namespace kernscope::plan
