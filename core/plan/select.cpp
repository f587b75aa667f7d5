// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/select.h"

#include "core/base/error.h"
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
    std::ranges::sort(labels, [](const Label &a, const Label &b) {
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
    std::ranges::stable_sort(
        sorted, [](const Kept &a, const Kept &b) { return before(a.choice, b.choice); });
    std::vector<Kept> kept;
    for (const Kept &next : sorted) {
        const bool worse = std::ranges::any_of(
            kept, [&next](const Kept &other) { return dominates(other.choice, next.choice); });
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
    const auto solved = TRY(select(relaxed, progress));
    if (!withinLimit(solved.cost, problem.mostError)) {
        const bool sure = solved.proven || !withinLimit(solved.bound, problem.mostError);
        return tl::unexpected(
            Unsolved{sure ? Unsolved::Binds::Both : Unsolved::Binds::Open, 0, solved.cost});
    }
    Picked picked;
    picked.index = solved.choice;
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
        relaxation.found = TRY(leastError(problem, items, progress));
    }
    improve(*relaxation.found, items, problem);
    Search search(items, problem, relaxation.best, relaxation.bound);
    const bool proven = search.run(*relaxation.found, progress);
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(Unsolved{Unsolved::Binds::Cancelled, 0, 0});
    return finished(*relaxation.found, items, relaxation.bound, proven);
}

} // namespace kernscope::plan
