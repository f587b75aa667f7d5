// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/select.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace kernscope::plan {

namespace {

/// Sums of the same numbers in another order may differ in the last place.
constexpr double kSlack = 1e-12;
bool withinLimit(double sum, double most)
{
    return sum <= most || sum <= most * (1 + kSlack);
}

bool clearlyLess(double a, double b)
{
    return a < b - kSlack * std::abs(b);
}

/// A choice that was not ruled out, with its place in the problem.
struct Kept {
    ItemChoice choice;
    std::size_t index = 0;
};

struct Sums {
    double cost = 0, error = 0, stored = 0;

    void add(const ItemChoice &choice)
    {
        cost += choice.cost;
        error += choice.error;
        stored += choice.stored;
    }
    void remove(const ItemChoice &choice)
    {
        cost -= choice.cost;
        error -= choice.error;
        stored -= choice.stored;
    }
    bool within(const Problem &problem) const
    {
        return withinLimit(error, problem.mostError) && withinLimit(stored, problem.mostStored);
    }
    /// Less cost; of equal cost (but for the last place) less error, then fewer bytes.
    bool before(const Sums &other) const
    {
        if (clearlyLess(cost, other.cost) || clearlyLess(other.cost, cost))
            return cost < other.cost;
        if (clearlyLess(error, other.error) || clearlyLess(other.error, error))
            return error < other.error;
        return stored < other.stored;
    }
};

struct Picked {
    std::vector<std::size_t> index; ///< by item: place among its kept choices
    Sums sums;
};

/// Prices of the two limits: cost of a unit of error, and of a byte.
struct Multipliers {
    double error = 0, stored = 0;
    double weigh(const ItemChoice &choice) const
    {
        return choice.cost + error * choice.error + stored * choice.stored;
    }
};

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

/// Goes through the items one by one and keeps the partial selections that may still be best.
class Search
{
public:
    Search(const std::vector<std::vector<Kept>> &items, const Problem &problem,
           const Multipliers &multipliers, double bound)
        : m_items(items), m_problem(problem), m_multipliers(multipliers), m_bound(bound)
    {
        if (multipliers.error > 0)
            m_constant += multipliers.error * problem.mostError;
        if (multipliers.stored > 0)
            m_constant += multipliers.stored * problem.mostStored;
    }

    /// Replaces `best` where there is a better one. True where the result is proven to be best.
    bool run(Picked &best, Progress *progress)
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
                // Too many for a proof: the most promising ones may still lead to a better
                // selection.
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

private:
    struct Label {
        Sums sums;
        std::uint32_t parent = 0, choice = 0;
    };
    struct Stage {
        std::size_t item = 0;
        double leastError = 0, leastStored = 0, leastWeighed = 0; ///< of all later items
        std::vector<std::size_t> choices;
    };

    /// Rules out the choices that cannot be part of a better selection, and orders the others'
    /// items.
    void plan(const Picked &best)
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

    double boundOf(const Sums &sums, const Stage &stage) const
    {
        return m_multipliers.weigh({sums.cost, sums.error, sums.stored}) + stage.leastWeighed -
               m_constant;
    }

    std::vector<Label> extend(const Stage &stage, const std::vector<Label> &labels,
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

    const std::vector<std::vector<Kept>> &m_items;
    const Problem &m_problem;
    Multipliers m_multipliers;
    double m_bound;
    double m_constant = 0; ///< what the multipliers take off for the limits
    Sums m_fixed;          ///< of the items with one choice left
    std::vector<std::size_t> m_choice;
    std::vector<Stage> m_stages;
};

// Selections that none is better than in cost and error.

/// The choices of an item that none other dominates in cost and error, cheapest first.
std::vector<std::size_t> stairsOf(const std::vector<ItemChoice> &choices)
{
    std::vector<std::size_t> order(choices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&choices](std::size_t a, std::size_t b) { return before(choices[a], choices[b]); });
    std::vector<std::size_t> stairs;
    for (const std::size_t next : order) {
        if (stairs.empty() || choices[next].error < choices[stairs.back()].error)
            stairs.push_back(next);
    }
    return stairs;
}

/// Of those, the corners of the lower convex hull.
std::vector<std::size_t> hullOf(const std::vector<ItemChoice> &choices,
                                const std::vector<std::size_t> &stairs)
{
    std::vector<std::size_t> hull;
    const auto slope = [&choices](std::size_t a, std::size_t b) {
        return (choices[a].error - choices[b].error) / (choices[b].cost - choices[a].cost);
    };
    for (const std::size_t next : stairs) {
        while (hull.size() > 1 &&
               slope(hull[hull.size() - 2], hull.back()) <= slope(hull.back(), next))
            hull.pop_back();
        hull.push_back(next);
    }
    return hull;
}

/// The corners of the hull of all selections: one step of one item leads to the next.
class Corners
{
public:
    Corners(const std::vector<std::vector<ItemChoice>> &items,
            const std::vector<std::vector<std::size_t>> &stairs)
        : m_items(items)
    {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto hull = hullOf(items[i], stairs[i]);
            m_cheapest.push_back(hull.front());
            for (std::size_t n = 1; n < hull.size(); ++n) {
                const ItemChoice &from = items[i][hull[n - 1]];
                const ItemChoice &to = items[i][hull[n]];
                m_steps.push_back({(from.error - to.error) / (to.cost - from.cost), i, hull[n]});
            }
        }
        std::ranges::stable_sort(m_steps, std::ranges::greater(), &Step::slope);
    }

    std::size_t count() const { return m_steps.size() + 1; }

    /// `kept` of them, evenly picked, the first and the last among them.
    std::vector<Front::Point> points(std::size_t kept) const
    {
        std::vector<Front::Point> points;
        std::vector<std::size_t> choice = m_cheapest;
        std::size_t taken = 0;
        for (std::size_t i = 0; i < kept; ++i) {
            const std::size_t at = kept < 2 ? 0 : i * m_steps.size() / (kept - 1);
            for (; taken < at; ++taken)
                choice[m_steps[taken].item] = m_steps[taken].choice;
            Front::Point point{choice, 0, 0, true};
            for (std::size_t item = 0; item < choice.size(); ++item) {
                point.cost += m_items[item][choice[item]].cost;
                point.error += m_items[item][choice[item]].error;
            }
            points.push_back(std::move(point));
        }
        return points;
    }

private:
    struct Step {
        double slope;
        std::size_t item, choice;
    };
    const std::vector<std::vector<ItemChoice>> &m_items;
    std::vector<std::size_t> m_cheapest;
    std::vector<Step> m_steps;
};

/// Merges items into the sums that none dominates.
class Merge
{
public:
    Merge(const std::vector<std::vector<ItemChoice>> &items,
          const std::vector<std::vector<std::size_t>> &stairs, std::size_t mostLabels)
        : m_items(items), m_stairs(stairs), m_most(std::max<std::size_t>(mostLabels, 2))
    {
    }

    std::vector<Front::Point> run()
    {
        m_levels.push_back({Label{}});
        for (std::size_t item = 0; item < m_items.size(); ++item) {
            std::vector<Label> next = extend(item);
            dropDominated(next);
            if (next.size() > m_most)
                thin(next);
            m_levels.push_back(std::move(next));
        }
        std::vector<Front::Point> points;
        for (const Label &label : m_levels.back())
            points.push_back({choiceOf(label), label.cost, label.error, false});
        return points;
    }

    bool whole() const { return m_whole; }

private:
    struct Label {
        double cost = 0, error = 0;
        std::uint32_t parent = 0, choice = 0;
    };

    std::vector<Label> extend(std::size_t item) const
    {
        const std::vector<Label> &labels = m_levels.back();
        std::vector<Label> next;
        next.reserve(labels.size() * m_stairs[item].size());
        for (const std::size_t c : m_stairs[item]) {
            const ItemChoice &choice = m_items[item][c];
            for (std::size_t l = 0; l < labels.size(); ++l)
                next.push_back({labels[l].cost + choice.cost, labels[l].error + choice.error,
                                static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(c)});
        }
        return next;
    }

    static void dropDominated(std::vector<Label> &labels)
    {
        std::ranges::sort(labels, [](const Label &a, const Label &b) {
            if (a.cost != b.cost)
                return a.cost < b.cost;
            if (a.error != b.error)
                return a.error < b.error;
            return a.choice != b.choice ? a.choice < b.choice : a.parent < b.parent;
        });
        std::size_t kept = 0;
        for (const Label &label : labels) {
            // Sums of the same numbers in another order differ in the last place: no step of a
            // stair.
            if (kept > 0 && !(label.error < labels[kept - 1].error * (1 - kSlack)))
                continue;
            if (kept > 0 && label.cost <= labels[kept - 1].cost * (1 + kSlack))
                --kept;
            labels[kept++] = label;
        }
        labels.resize(kept);
    }

    /// Keeps the first label, and one label in each range of costs: that of least error.
    void thin(std::vector<Label> &labels)
    {
        m_whole = false;
        const double least = labels.front().cost, most = labels.back().cost;
        const double width = (most - least) / static_cast<double>(m_most - 1);
        std::size_t kept = 1;
        for (std::size_t i = 1; i < labels.size(); ++i) {
            const auto rangeOf = [&](const Label &label) {
                return std::floor((label.cost - least) / width);
            };
            const bool last =
                i + 1 == labels.size() || rangeOf(labels[i + 1]) != rangeOf(labels[i]);
            if (last)
                labels[kept++] = labels[i];
        }
        labels.resize(kept);
    }

    std::vector<std::size_t> choiceOf(const Label &last) const
    {
        std::vector<std::size_t> choice(m_items.size());
        const Label *label = &last;
        for (std::size_t level = m_items.size(); level > 0; --level) {
            choice[level - 1] = label->choice;
            label = &m_levels[level - 1][label->parent];
        }
        return choice;
    }

    const std::vector<std::vector<ItemChoice>> &m_items;
    const std::vector<std::vector<std::size_t>> &m_stairs;
    std::size_t m_most;
    std::vector<std::vector<Label>> m_levels;
    bool m_whole = true;
};

bool nearlyEqual(double a, double b)
{
    return std::abs(a - b) <= kSlack * std::max(std::abs(a), std::abs(b));
}

/// The corners among all points, and those that no corner dominates.
std::vector<Front::Point> together(std::vector<Front::Point> corners,
                                   std::vector<Front::Point> between)
{
    std::vector<Front::Point> all;
    std::size_t c = 0;
    for (Front::Point &point : between) {
        while (c < corners.size() &&
               (corners[c].cost < point.cost || nearlyEqual(corners[c].cost, point.cost)))
            all.push_back(std::move(corners[c++]));
        const bool better = all.empty() || point.error < all.back().error * (1 - kSlack);
        if (better)
            all.push_back(std::move(point));
    }
    std::move(corners.begin() + static_cast<std::ptrdiff_t>(c), corners.end(),
              std::back_inserter(all));
    // What came before a corner may be worse than it only where labels were thinned.
    std::vector<Front::Point> kept;
    for (Front::Point &point : all) {
        while (!kept.empty() && !kept.back().corner && nearlyEqual(kept.back().cost, point.cost))
            kept.pop_back();
        if (kept.empty() || point.error < kept.back().error)
            kept.push_back(std::move(point));
    }
    return kept;
}

/// Keeps all corners and evenly spaced ones of the rest: no more than `most` together.
void pick(std::vector<Front::Point> &points, std::size_t most, std::size_t corners)
{
    if (points.size() <= most)
        return;
    const std::size_t others = points.size() - corners, wanted = most - corners;
    std::size_t seen = 0, kept = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        bool take = points[i].corner;
        if (!take) {
            take = (seen + 1) * wanted / others != seen * wanted / others;
            ++seen;
        }
        if (take && kept != i)
            points[kept] = std::move(points[i]);
        kept += take ? 1 : 0;
    }
    points.resize(kept);
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
        relaxation.found = TRY(leastError(problem, items, progress));
    }
    improve(*relaxation.found, items, problem);
    Search search(items, problem, relaxation.best, relaxation.bound);
    const bool proven = search.run(*relaxation.found, progress);
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(Unsolved{Unsolved::Binds::Cancelled, 0, 0});
    return finished(*relaxation.found, items, relaxation.bound, proven);
}

Front front(const std::vector<std::vector<ItemChoice>> &items, std::size_t most,
            std::size_t mostLabels)
{
    Front front;
    std::vector<std::vector<std::size_t>> stairs;
    for (const auto &item : items) {
        if (item.empty())
            return {};
        stairs.push_back(stairsOf(item));
    }
    most = std::max<std::size_t>(most, 2);
    const Corners corners(items, stairs);
    if (corners.count() >= most) {
        front.points = corners.points(most);
        front.undominated = corners.count();
        front.whole = std::ranges::all_of(stairs, [](const auto &each) { return each.size() < 2; });
        return front;
    }
    Merge merge(items, stairs, mostLabels);
    front.points = together(corners.points(corners.count()), merge.run());
    front.undominated = front.points.size();
    front.whole = merge.whole();
    pick(front.points, most, corners.count());
    return front;
}

} // namespace kernscope::plan
