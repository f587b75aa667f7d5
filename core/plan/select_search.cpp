// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/select_search.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kernscope::plan {

namespace {

bool clearlyLess(double a, double b)
{
    return a < b - kSlack * std::abs(b);
}

/// Labels sorted by cost, then error, then bytes: those that an earlier one dominates go.
template <class Label>
void dropDominated(std::vector<Label> &labels)
{
    std::sort(labels.begin(), labels.end(), [](const Label &a, const Label &b) {
        if (a.sums.cost != b.sums.cost)
            return a.sums.cost < b.sums.cost;
        return a.sums.error != b.sums.error ? a.sums.error < b.sums.error
                                            : a.sums.stored < b.sums.stored;
    });
    std::map<double, double> stairs; // error to fewest bytes so far: both fall and rise
    std::size_t kept = 0;
    for (const Label &label : labels) {
        auto after = stairs.upper_bound(label.sums.error);
        if (after != stairs.begin() && std::prev(after)->second <= label.sums.stored)
            continue;
        while (after != stairs.end() && after->second >= label.sums.stored)
            after = stairs.erase(after);
        stairs[label.sums.error] = label.sums.stored;
        labels[kept++] = label;
    }
    labels.resize(kept);
}

} // namespace

bool Sums::before(const Sums &other) const
{
    if (clearlyLess(cost, other.cost) || clearlyLess(other.cost, cost))
        return cost < other.cost;
    if (clearlyLess(error, other.error) || clearlyLess(other.error, error))
        return error < other.error;
    return stored < other.stored;
}

Search::Search(const std::vector<std::vector<Kept>> &items, const Problem &problem,
               const Multipliers &multipliers, double bound)
    : m_items(items), m_problem(problem), m_multipliers(multipliers), m_bound(bound)
{
    if (multipliers.error > 0)
        m_constant += multipliers.error * problem.mostError;
    if (multipliers.stored > 0)
        m_constant += multipliers.stored * problem.mostStored;
}

/// Rules out the choices that cannot be part of a better selection, and orders the others' items.
void Search::plan(const Picked &best)
{
    m_choice.assign(m_items.size(), 0);
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const auto &item = m_items[i];
        double least = std::numeric_limits<double>::infinity();
        for (const Kept &kept : item)
            least = std::min(least, m_multipliers.weigh(kept.choice));
        Stage stage;
        stage.item = i;
        for (std::size_t c = 0; c < item.size(); ++c) {
            const double bound = m_bound + m_multipliers.weigh(item[c].choice) - least;
            if (bound <= best.sums.cost * (1 + kSlack) || c == best.index[i])
                stage.choices.push_back(c);
        }
        if (stage.choices.size() == 1) {
            m_choice[i] = stage.choices.front();
            m_fixed.add(item[m_choice[i]].choice);
        } else {
            m_stages.push_back(std::move(stage));
        }
    }
    Stage after; // sums over the later items, from the last one on
    for (auto stage = m_stages.rbegin(); stage != m_stages.rend(); ++stage) {
        stage->leastError = after.leastError;
        stage->leastStored = after.leastStored;
        stage->leastWeighed = after.leastWeighed;
        double error = std::numeric_limits<double>::infinity(), stored = error, weighed = error;
        for (const std::size_t c : stage->choices) {
            const ItemChoice &choice = m_items[stage->item][c].choice;
            error = std::min(error, choice.error);
            stored = std::min(stored, choice.stored);
            weighed = std::min(weighed, m_multipliers.weigh(choice));
        }
        after.leastError += error;
        after.leastStored += stored;
        after.leastWeighed += weighed;
    }
}

double Search::boundOf(const Sums &sums, const Stage &stage) const
{
    return m_multipliers.weigh({sums.cost, sums.error, sums.stored}) + stage.leastWeighed -
           m_constant;
}

std::vector<Search::Label> Search::extend(const Stage &stage, const std::vector<Label> &labels,
                                          const Sums &best) const
{
    std::vector<Label> next;
    for (std::size_t l = 0; l < labels.size(); ++l) {
        for (const std::size_t c : stage.choices) {
            Label label{labels[l].sums, static_cast<std::uint32_t>(l),
                        static_cast<std::uint32_t>(c)};
            label.sums.add(m_items[stage.item][c].choice);
            if (withinLimit(label.sums.error + stage.leastError, m_problem.mostError) &&
                withinLimit(label.sums.stored + stage.leastStored, m_problem.mostStored) &&
                boundOf(label.sums, stage) <= best.cost * (1 + kSlack))
                next.push_back(label);
        }
    }
    dropDominated(next);
    return next;
}

bool Search::run(Picked &best, Progress *progress)
{
    plan(best);
    std::vector<std::vector<Label>> levels(1);
    levels[0].push_back({m_fixed, 0, 0});
    bool whole = true;
    std::size_t kept = 0;
    for (const Stage &stage : m_stages) {
        if (progress != nullptr && progress->cancelled())
            return false;
        auto next = extend(stage, levels.back(), best.sums);
        if (next.size() > m_problem.mostLabels / 4 ||
            kept + next.size() > m_problem.mostLabels * 16) {
            // Too many for a proof: the most promising ones may still lead to a better selection.
            whole = false;
            const std::size_t few = std::min<std::size_t>(next.size(), 64);
            std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(few),
                              next.end(), [this, &stage](const Label &a, const Label &b) {
                                  return boundOf(a.sums, stage) < boundOf(b.sums, stage);
                              });
            next.resize(few);
        }
        kept += next.size();
        levels.push_back(std::move(next));
    }
    const Label *last = nullptr;
    for (const Label &label : levels.back()) {
        if (last == nullptr || label.sums.before(last->sums))
            last = &label;
    }
    if (last == nullptr || !last->sums.before(best.sums))
        return whole;
    best.sums = last->sums;
    best.index = m_choice;
    for (std::size_t level = m_stages.size(); level > 0; --level) {
        best.index[m_stages[level - 1].item] = last->choice;
        last = &levels[level - 1][last->parent];
    }
    return whole;
}

} // namespace kernscope::plan
