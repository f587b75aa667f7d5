// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/plan.h"

#include "core/base/text.h"
#include "core/plan/select.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::plan {

namespace {

/// The items that are planned.
struct PlannedItems {
    std::vector<std::vector<std::size_t>> members; ///< rows, by item
    std::vector<std::vector<std::size_t>>
        possible;                                  ///< candidates of the chips and by hand, by item
    std::vector<std::vector<std::size_t>> allowed; ///< of those, within the tolerance
    std::vector<bool> forced;                      ///< by row
    std::uint64_t fixedStored = 0; ///< bytes that stay whatever is chosen; shared parts as if so
    double energy = 0;
};

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
            const auto at = std::ranges::find_if(all, [&form = form](const Candidate &candidate) {
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
        if (!any) {
            const std::string nearest = nearestWord(pattern, survey.names);
            return refused("plan.forced", pattern,
                           nearest.empty() ? "the name of a weight that is planned" : nearest,
                           "none", "No weight that is planned has a name like this");
        }
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
    const bool hand = std::ranges::any_of(members, byHand);
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

void take(std::optional<double> &most, const std::optional<double> &time)
{
    if (time)
        most = std::max(most.value_or(0), *time);
}

/// Errors: "plan.forced".
Result<PlannedItems> networkOf(const Survey &survey, const Limits &limits)
{
    const auto forced = TRY(forcedOf(survey, limits));
    PlannedItems network;
    std::vector<std::vector<std::size_t>> members(survey.items);
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        network.forced.push_back(forced[r].has_value());
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
            addItem(survey, limits, forced, network, members[i]);
    }
    return network;
}

/// The choices of all candidates, by item, with the squared error against a cost.
std::vector<std::vector<ItemChoice>>
choicesOf(const Survey &survey, const std::vector<std::vector<std::size_t>> &members,
          const std::vector<std::vector<std::size_t>> &candidates, Goal goal)
{
    std::vector<std::vector<ItemChoice>> items(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        for (const std::size_t candidate : candidates[i])
            items[i].push_back(choiceOf(survey, members[i], candidate, goal));
    }
    return items;
}

Problem problemOf(const Survey &survey, const PlannedItems &network, const Limits &limits,
                  Goal goal)
{
    Problem problem;
    problem.items = choicesOf(survey, network.members, network.allowed, goal);
    if (limits.totalTolerance)
        problem.mostError = *limits.totalTolerance * *limits.totalTolerance * network.energy;
    if (limits.maxBytes)
        problem.mostStored =
            static_cast<double>(*limits.maxBytes) - static_cast<double>(network.fixedStored);
    return problem;
}

/// From a candidate for each item to one for each row.
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

constexpr std::array<std::string_view, 4> kGoals{"time", "stored", "moved", "error"};

/// The weight without a choice, and what comes nearest.
tl::unexpected<Error> noChoice(const Survey &survey, const Limits &limits,
                               const PlannedItems &network, std::size_t item)
{
    const std::size_t r = network.members[item].front();
    const Row &row = survey.rows[r];
    Candidate least;
    for (const Candidate &candidate : *row.candidates) {
        if (candidate->refused.empty() && (!least || candidate.error < least.error))
            least = candidate;
    }
    if (!least)
        return refused("plan.infeasible", survey.names[r], "a form that every chip takes",
                       row.candidates->front()->refused, "No form of this weight can be chosen");
    return refused("plan.infeasible", survey.names[r],
                   fmt::format("at most {:g}", limits.tolerance),
                   fmt::format("{:.4g} ({})", layerError(row, least), least->name),
                   "No form of this weight keeps the tolerance of a layer");
}

tl::unexpected<Error> explain(const Survey &survey, const Limits &limits,
                              const PlannedItems &network, const Unsolved &unsolved)
{
    const auto errorOf = [&](double squared) {
        return fmt::format("{:.4g}",
                           network.energy > 0 ? std::sqrt(squared / network.energy) : 0.0);
    };
    const std::string total = fmt::format("at most {:g}", limits.totalTolerance.value_or(0));
    const std::string bytes = fmt::format("at most {} bytes", grouped(limits.maxBytes.value_or(0)));
    switch (unsolved.binds) {
    case Unsolved::Binds::Item: return noChoice(survey, limits, network, unsolved.item);
    case Unsolved::Binds::Stored:
        return refused("plan.infeasible", "max-bytes", bytes,
                       fmt::format("{} bytes", grouped(static_cast<std::uint64_t>(unsolved.least) +
                                                       network.fixedStored)),
                       "The smallest forms that keep the tolerance of every layer take more "
                       "bytes");
    case Unsolved::Binds::Error:
        return refused("plan.infeasible", "total-tolerance", total, errorOf(unsolved.least),
                       "The forms of least error have more in total");
    case Unsolved::Binds::Both:
        return refused("plan.infeasible", "max-bytes, total-tolerance", bytes + ", " + total,
                       errorOf(unsolved.least) + " within the bytes",
                       "The bytes and the total error cannot both be kept");
    case Unsolved::Binds::Open:
        return refused("plan.open", "max-bytes, total-tolerance", bytes + ", " + total,
                       errorOf(unsolved.least) + " within the bytes, the best that was found",
                       "No plan was found, and it is not proven that there is none");
    case Unsolved::Binds::Cancelled: break;
    }
    return tl::unexpected(cancelledError("The plan was cancelled"));
}

/// Whether the chips whose times are known take as long with the candidate as with the weight as it
/// is. False where none is known.
bool takesAsLong(const Row &row, const Candidate &candidate)
{
    const auto &kept = row.candidates->front()->chips;
    bool any = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i].timeS != candidate->chips[i].timeS)
            return false;
        any |= kept[i].timeS.has_value();
    }
    return any;
}

std::string whyOf(const Row &row, const Limits &limits, Goal goal, std::size_t choice, bool forced)
{
    if (!row.fixed.empty())
        return "stays: " + row.fixed;
    if (forced)
        return "asked for by hand";
    if (choice != 0 && goal == Goal::Time && takesAsLong(row, (*row.candidates)[choice]))
        return "as fast as it is, with fewer stored bytes";
    if (choice != 0)
        return fmt::format("least {} within the limits", goalName(goal));
    const bool others =
        std::any_of(row.candidates->begin() + 1, row.candidates->end(), [&](const Candidate &c) {
            return c->refused.empty() && layerError(row, c) <= limits.tolerance;
        });
    const bool legal = std::any_of(row.candidates->begin() + 1, row.candidates->end(),
                                   [](const Candidate &c) { return c->refused.empty(); });
    if (!legal)
        return "stays: no other form can be chosen";
    return others
               ? fmt::format("stays: no other form within the limits has less {}", goalName(goal))
               : fmt::format("stays: every other form has an error above {:g}", limits.tolerance);
}

std::vector<FrontPoint> frontOf(const Survey &survey, const PlannedItems &network, Goal goal,
                                std::size_t most, FrontCount &count)
{
    Front found = front(choicesOf(survey, network.members, network.possible, goal), most);
    count = {found.undominated, found.whole};
    std::vector<FrontPoint> points;
    for (Front::Point &chosen : found.points) {
        for (std::size_t item = 0; item < chosen.choice.size(); ++item)
            chosen.choice[item] = network.possible[item][chosen.choice[item]];
        FrontPoint point;
        point.choice = spread(survey, network, chosen.choice);
        point.corner = chosen.corner;
        point.totals = totalsOf(survey, point.choice);
        points.push_back(std::move(point));
    }
    return points;
}

/// Weights that are planned and whose time is known on no chip.
std::size_t untimedRows(const Survey &survey)
{
    return static_cast<std::size_t>(std::ranges::count_if(survey.rows, [](const Row &row) {
        return row.candidates && !slowest(row.candidates->front());
    }));
}

/// Whether the engine spends time on a weight that is planned, as far as it is known.
bool isTimed(const Row &row)
{
    return row.candidates && slowest(row.candidates->front()).value_or(0) > 0;
}

/// Time, unless part of it is not known (it would count as none), the engine spends none, or every
/// run waits for its calls on the chips whose times are known.
Goal goalOf(const Survey &survey, const Limits &limits, const PlanTotals &before)
{
    const auto &rows = survey.rows;
    const bool timed =
        std::ranges::any_of(rows, isTimed) ||
        std::ranges::none_of(rows, [](const Row &row) { return bool(row.candidates); });
    const bool gains = untimedRows(survey) == 0 && timed && !before.hidesGains();
    return limits.goal.value_or(gains ? Goal::Time : Goal::Stored);
}

/// Chips without roofs, and layers whose work is not known, have no times to make least: one layer
/// must have one on one of the chips.
Result<void> checkTimes(const Survey &survey)
{
    std::string names;
    bool roofs = false;
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        roofs |= survey.roofs[t].compute && survey.roofs[t].bandwidth;
        names += (names.empty() ? "" : ", ") + survey.targets[t]->name;
    }
    const auto &rows = survey.rows;
    if (std::ranges::any_of(rows, isTimed) ||
        std::ranges::none_of(rows, [](const Row &row) { return bool(row.candidates); }))
        return {};
    if (roofs)
        return refused("plan.time", names, "a layer whose time is known", "none",
                       "The times of the layers that this plan may change are not known, or they "
                       "run elsewhere than on the engine: minimise stored or moved bytes");
    return refused("plan.time", names, "a compute and a bandwidth ceiling", "none that is known",
                   "The times on this chip are not known: minimise stored or moved bytes");
}

/// The program with every weight in the form that is chosen, added up as the roofline does.
roofline::ProgramTime programOf(const Survey &survey, const std::vector<std::size_t> &choice,
                                std::size_t target)
{
    std::vector<roofline::LayerTime> times;
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        const Row &row = survey.rows[r];
        const auto &layers = survey.layers[row.weight];
        if (layers.empty())
            continue;
        const ChipFigures &chip =
            row.candidates ? (*row.candidates)[choice[r]]->chips[target] : row.fixedChips[target];
        for (std::size_t i = 0; i < layers.size(); ++i)
            times.push_back({layers[i].get(), chip.layerS[i], chip.refusal});
    }
    return roofline::programTime(times, survey.roofs[target]);
}

void addFronts(const Survey &survey, const PlannedItems &network, const Limits &limits, Plan &plan)
{
    plan.storedFront = frontOf(survey, network, Goal::Stored, limits.frontPoints, plan.storedCount);
    if (slowest(plan.before))
        plan.timeFront = frontOf(survey, network, Goal::Time, limits.frontPoints, plan.timeCount);
}

} // namespace

std::vector<const target::Target *> timedTargets(const Survey &survey)
{
    std::vector<const target::Target *> timed;
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        const bool any = std::ranges::any_of(survey.rows, [t](const Row &row) {
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

std::string_view goalName(Goal goal)
{
    return kGoals[std::size_t(goal)];
}

std::optional<Goal> goalFromName(std::string_view name)
{
    const auto at = std::ranges::find(kGoals, name);
    return at == kGoals.end() ? std::nullopt : std::optional(Goal(at - kGoals.begin()));
}

double layerError(const Row &row, const Candidate &candidate)
{
    return candidate.error * row.sensitivity;
}

std::string formOf(const Row &row, std::size_t choice)
{
    return choice == 0 || !row.candidates ? row.stored : (*row.candidates)[choice]->name;
}

PlanTotals totalsOf(const Survey &survey, const std::vector<std::size_t> &choice)
{
    PlanTotals totals;
    totals.unread = survey.unread;
    for (std::size_t t = 0; t < survey.targets.size(); ++t) {
        totals.moved.push_back(survey.fixed[t].moved);
        totals.programs.push_back(programOf(survey, choice, t));
    }
    std::vector<bool> done(survey.items);
    std::set<std::size_t> parts;
    double squared = 0, energy = 0;
    for (std::size_t r = 0; r < survey.rows.size(); ++r) {
        const Row &row = survey.rows[r];
        const Candidate candidate = row.candidates ? (*row.candidates)[choice[r]] : Candidate();
        if (!done[row.item]) {
            done[row.item] = true;
            if (candidate && choice[r] != 0)
                totals.stored += candidate->stored;
            else
                for (const PartBytes &part : survey.parts[row.item])
                    totals.stored += parts.insert(part.number).second ? part.bytes : 0;
        }
        if (!candidate)
            continue;
        for (std::size_t t = 0; t < candidate->chips.size(); ++t)
            addBytes(totals.moved[t], candidate->chips[t].moved);
        const double error = layerError(row, candidate);
        squared += error * error * row.energy;
        energy += row.energy;
        if (error > totals.largestError) {
            totals.largestError = error;
            totals.largest = r;
        }
    }
    totals.error = energy > 0 ? std::sqrt(squared / energy) : 0;
    return totals;
}

Result<Plan> solve(const Survey &survey, const Limits &limits)
{
    Plan plan;
    plan.before = totalsOf(survey, std::vector<std::size_t>(survey.rows.size(), 0));
    const Goal goal = goalOf(survey, limits, plan.before);
    if (goal == Goal::Time) {
        TRY(checkTimes(survey));
    }
    auto network = TRY(networkOf(survey, limits));
    const auto selected = select(problemOf(survey, network, limits, goal), limits.progress);
    if (!selected)
        return explain(survey, limits, network, selected.error());
    std::vector<std::size_t> choices; // among all candidates, not only those within the tolerance
    for (std::size_t i = 0; i < selected->choice.size(); ++i)
        choices.push_back(network.allowed[i][selected->choice[i]]);
    plan.choice = spread(survey, network, choices);
    plan.goal = goal;
    plan.proven = selected->proven;
    plan.cost = selected->cost;
    plan.bound = selected->bound;
    plan.after = totalsOf(survey, plan.choice);
    plan.why.reserve(survey.rows.size());
    for (std::size_t r = 0; r < survey.rows.size(); ++r)
        plan.why.push_back(whyOf(survey.rows[r], limits, goal, plan.choice[r], network.forced[r]));
    plan.untimed = untimedRows(survey);
    addFronts(survey, network, limits, plan);
    return plan;
}

Plan asStored(const Survey &survey, const Limits &limits)
{
    Plan plan;
    plan.choice.assign(survey.rows.size(), 0);
    plan.before = plan.after = totalsOf(survey, plan.choice);
    plan.goal = goalOf(survey, limits, plan.before);
    for (const Row &row : survey.rows)
        plan.why.push_back(row.fixed.empty() ? "no plan within the limits" : "stays: " + row.fixed);
    plan.untimed = untimedRows(survey);
    if (const auto network = networkOf(survey, limits))
        addFronts(survey, *network, limits, plan);
    return plan;
}

} // namespace kernscope::plan
