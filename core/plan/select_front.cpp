// SPDX-License-Identifier: GPL-3.0-or-later
// Selections that none is better than in cost and error.
#include "core/plan/select_search.h"

#include <algorithm>
#include <cmath>

namespace kernscope::plan {

namespace {

/// The choices of an item that none other dominates in cost and error, cheapest first.
std::vector<std::size_t> stairsOf(const std::vector<ItemChoice> &choices)
{
    std::vector<std::size_t> order(choices.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, [&choices](std::size_t a, std::size_t b) {
        if (choices[a].cost != choices[b].cost)
            return choices[a].cost < choices[b].cost;
        return choices[a].error != choices[b].error ? choices[a].error < choices[b].error
                                                    : choices[a].stored < choices[b].stored;
    });
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
