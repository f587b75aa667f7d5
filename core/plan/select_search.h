// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/select.h"

/// Private to the selection: the exact search.
namespace kernscope::plan {

/// Sums of the same numbers in another order may differ in the last place.
constexpr double kSlack = 1e-12;
inline bool withinLimit(double sum, double most)
{
    return sum <= most || sum <= most * (1 + kSlack);
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
    bool before(const Sums &other) const;
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

/// Goes through the items one by one and keeps the partial selections that may still be best.
class Search
{
public:
    Search(const std::vector<std::vector<Kept>> &items, const Problem &problem,
           const Multipliers &multipliers, double bound);

    /// Replaces `best` where there is a better one. True where the result is proven to be best.
    bool run(Picked &best, Progress *progress);

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

    void plan(const Picked &best);
    std::vector<Label> extend(const Stage &stage, const std::vector<Label> &labels,
                              const Sums &best) const;
    double boundOf(const Sums &sums, const Stage &stage) const;

    const std::vector<std::vector<Kept>> &m_items;
    const Problem &m_problem;
    Multipliers m_multipliers;
    double m_bound;
    double m_constant = 0; ///< what the multipliers take off for the limits
    Sums m_fixed;          ///< of the items with one choice left
    std::vector<std::size_t> m_choice;
    std::vector<Stage> m_stages;
};

} // namespace kernscope::plan
