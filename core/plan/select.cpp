// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/select.h"

#include "core/plan/select_search.h"

#include <algorithm>
#include <cmath>

namespace kernscope::plan {

namespace {

constexpr double kHuge = std::numeric_limits<double>::infinity();
constexpr int kBisections = 48;

/// Whether `a` is at least as good as `b` in everything.
bool dominates(const ItemChoice &a, const ItemChoice &b)
{
    return a.cost <= b.cost && a.error <= b.error && a.stored <= b.stored;
}

bool before(const ItemChoice &a, const ItemChoice &b)
{
    if (a.cost != b.cost)
        return a.cost < b.cost;
    return a.error != b.error ? a.error < b.error : a.stored < b.stored;
}

/// The choices that none other dominates, cheapest first.
std::vector<Kept> undominated(const std::vector<ItemChoice> &choices)
{
    std::vector<Kept> sorted;
    for (std::size_t i = 0; i < choices.size(); ++i)
        sorted.push_back({choices[i], i});
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Kept &a, const Kept &b) { return before(a.choice, b.choice); });
    std::vector<Kept> kept;
    for (const Kept &next : sorted) {
        const bool worse = std::any_of(kept.begin(), kept.end(), [&next](const Kept &other) {
            return dominates(other.choice, next.choice);
        });
        if (!worse)
            kept.push_back(next);
    }
    return kept;
}

/// Finds multipliers with a high bound, and on the way selections that keep the limits.
class Relaxation
{
public:
    Relaxation(const std::vector<std::vector<Kept>> &items, const Problem &problem)
        : m_items(items), m_problem(problem)
    {
    }

    void run()
    {
        if (m_problem.mostStored == kHuge) {
            search([this](double x) { return evaluate({x, 0}).error <= m_problem.mostError; });
        } else if (m_problem.mostError == kHuge) {
            search([this](double x) { return evaluate({0, x}).stored <= m_problem.mostStored; });
        } else {
            search([this](double stored) {
                Sums last;
                search([this, stored, &last](double error) {
                    const Sums sums = evaluate({error, stored});
                    if (sums.error <= m_problem.mostError)
                        last = sums;
                    return sums.error <= m_problem.mostError;
                });
                return last.stored <= m_problem.mostStored;
            });
        }
    }

    Multipliers best;
    double bound = -kHuge;
    std::optional<Picked> found;

private:
    /// The least x for which `holds`, which is false below and true above: from both sides.
    template <class Holds>
    void search(const Holds &holds)
    {
        if (holds(0.0))
            return;
        double low = 0, high = 1e-30;
        while (!holds(high) && high < 1e60) {
            low = high;
            high *= 1000;
        }
        for (int i = 0; i < kBisections; ++i) {
            const double middle = low == 0 ? high / 1000 : std::sqrt(low * high);
            (holds(middle) ? high : low) = middle;
        }
        holds(high);
    }

    Sums evaluate(const Multipliers &multipliers)
    {
        Picked picked;
        picked.index.reserve(m_items.size());
        double value = 0;
        for (const auto &item : m_items) {
            std::size_t least = 0;
            double leastValue = kHuge;
            for (std::size_t i = 0; i < item.size(); ++i) {
                const double weighed = multipliers.weigh(item[i].choice);
                if (weighed < leastValue) {
                    leastValue = weighed;
                    least = i;
                }
            }
            value += leastValue;
            picked.index.push_back(least);
            picked.sums.add(item[least].choice);
        }
        if (multipliers.error > 0)
            value -= multipliers.error * m_problem.mostError;
        if (multipliers.stored > 0)
            value -= multipliers.stored * m_problem.mostStored;
        if (value > bound) {
            bound = value;
            best = multipliers;
        }
        if (picked.sums.within(m_problem) && (!found || picked.sums.before(found->sums)))
            found = picked;
        return picked.sums;
    }

    const std::vector<std::vector<Kept>> &m_items;
    const Problem &m_problem;
};

/// Exchanges single choices as long as that makes it better within the limits.
void improve(Picked &picked, const std::vector<std::vector<Kept>> &items, const Problem &problem)
{
    for (int round = 0; round < 8; ++round) {
        bool better = false;
        for (std::size_t i = 0; i < items.size(); ++i) {
            for (std::size_t c = 0; c < items[i].size(); ++c) {
                Sums sums = picked.sums;
                sums.remove(items[i][picked.index[i]].choice);
                sums.add(items[i][c].choice);
                if (c == picked.index[i] || !sums.within(problem) || !sums.before(picked.sums))
                    continue;
                picked.index[i] = c;
                picked.sums = sums;
                better = true;
            }
        }
        if (!better)
            return;
    }
}

Selection finished(const Picked &picked, const std::vector<std::vector<Kept>> &items, double bound,
                   bool proven)
{
    Selection selection;
    Sums sums; // anew, in the order of the items
    for (std::size_t i = 0; i < items.size(); ++i) {
        selection.choice.push_back(items[i][picked.index[i]].index);
        sums.add(items[i][picked.index[i]].choice);
    }
    selection.cost = sums.cost;
    selection.error = sums.error;
    selection.stored = sums.stored;
    selection.bound = proven ? sums.cost : std::clamp(bound, 0.0, sums.cost);
    selection.proven = proven;
    return selection;
}

/// The least of a figure, item by item.
template <class Figure>
double leastSum(const std::vector<std::vector<Kept>> &items, const Figure &figure)
{
    double sum = 0;
    for (const auto &item : items) {
        double least = kHuge;
        for (const Kept &kept : item)
            least = std::min(least, figure(kept.choice));
        sum += least;
    }
    return sum;
}

/// Whether both limits can be kept at once: the selection of least error within the bytes.
tl::expected<Picked, Unsolved>
leastError(const Problem &problem, const std::vector<std::vector<Kept>> &items, Progress *progress)
{
    Problem relaxed;
    relaxed.mostStored = problem.mostStored;
    relaxed.mostLabels = problem.mostLabels;
    for (const auto &item : items) {
        relaxed.items.emplace_back();
        for (const Kept &kept : item)
            relaxed.items.back().push_back(
                {kept.choice.error, kept.choice.cost, kept.choice.stored});
    }
    const auto solved = select(relaxed, progress);
    if (!solved)
        return tl::unexpected(solved.error());
    if (!withinLimit(solved->cost, problem.mostError)) {
        const bool sure = solved->proven || !withinLimit(solved->bound, problem.mostError);
        return tl::unexpected(
            Unsolved{sure ? Unsolved::Binds::Both : Unsolved::Binds::Open, 0, solved->cost});
    }
    Picked picked;
    picked.index = solved->choice;
    for (std::size_t i = 0; i < items.size(); ++i)
        picked.sums.add(items[i][picked.index[i]].choice);
    return picked;
}

std::optional<Unsolved> cannotHold(const Problem &problem,
                                   const std::vector<std::vector<Kept>> &items)
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].empty())
            return Unsolved{Unsolved::Binds::Item, i, 0};
    }
    const double stored = leastSum(items, [](const ItemChoice &choice) { return choice.stored; });
    if (!withinLimit(stored, problem.mostStored))
        return Unsolved{Unsolved::Binds::Stored, 0, stored};
    const double error = leastSum(items, [](const ItemChoice &choice) { return choice.error; });
    if (!withinLimit(error, problem.mostError))
        return Unsolved{Unsolved::Binds::Error, 0, error};
    return std::nullopt;
}

} // namespace

tl::expected<Selection, Unsolved> select(const Problem &problem, Progress *progress)
{
    std::vector<std::vector<Kept>> items;
    items.reserve(problem.items.size());
    for (const auto &item : problem.items)
        items.push_back(undominated(item));
    if (const auto unsolved = cannotHold(problem, items))
        return tl::unexpected(*unsolved);
    Picked cheapest;
    for (const auto &item : items) {
        cheapest.index.push_back(0); // the first is the cheapest
        cheapest.sums.add(item.front().choice);
    }
    if (cheapest.sums.within(problem))
        return finished(cheapest, items, cheapest.sums.cost, true);
    Relaxation relaxation(items, problem);
    relaxation.run();
    if (!relaxation.found) {
        auto picked = leastError(problem, items, progress);
        if (!picked)
            return tl::unexpected(picked.error());
        relaxation.found = std::move(*picked);
    }
    improve(*relaxation.found, items, problem);
    Search search(items, problem, relaxation.best, relaxation.bound);
    const bool proven = search.run(*relaxation.found, progress);
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(Unsolved{Unsolved::Binds::Cancelled, 0, 0});
    return finished(*relaxation.found, items, relaxation.bound, proven);
}

} // namespace kernscope::plan
