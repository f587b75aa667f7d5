// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <tl/expected.hpp>

/// Choosing one of several forms for every weight: a multiple-choice knapsack. Knows no weights.
namespace kernscope::plan {

/// One choice of an item. All figures are 0 or more.
struct ItemChoice {
    double cost = 0;   ///< what is to be least: seconds, bytes or a squared error
    double error = 0;  ///< squared
    double stored = 0; ///< bytes
};

/// Exactly one choice of every item, with sums within the limits.
struct Problem {
    std::vector<std::vector<ItemChoice>> items;
    double mostError = std::numeric_limits<double>::infinity();
    double mostStored = std::numeric_limits<double>::infinity();
    /// Partial selections that are kept at once; the search for a proof stops where there are more.
    std::size_t mostLabels = 100'000;
};

struct Selection {
    std::vector<std::size_t> choice; ///< by item
    double cost = 0, error = 0, stored = 0;
    double bound = 0;    ///< no selection within the limits costs less
    bool proven = false; ///< none is better: not in cost, of equal cost not in error, then bytes
};

/// Why there is no selection.
struct Unsolved {
    enum class Binds {
        Item,      ///< that item has no choice at all
        Stored,    ///< the smallest choices together have more bytes: `least`
        Error,     ///< the choices of least error together have more: `least`
        Both,      ///< each limit can be kept, not both: `least` squared error within the bytes
        Open,      ///< none was found, and it is not proven that there is none
        Cancelled, ///< by the progress
    };
    Binds binds = Binds::Item;
    std::size_t item = 0;
    double least = 0;
};

/// The selection of least cost; of those with equal cost the one of least error, then of fewest
/// bytes. Exact: partial selections that others dominate in cost, error and bytes are dropped, and
/// those that a Lagrangian bound shows to be no better than a selection that is known. Where too
/// many are left, the best that was found is returned with the bound and `proven` false.
tl::expected<Selection, Unsolved> select(const Problem &problem, Progress *progress = nullptr);

/// Selections that none is better than: cost rises and squared error falls from point to point.
struct Front {
    struct Point {
        std::vector<std::size_t> choice; ///< by item
        double cost = 0, error = 0;
        bool corner = false; ///< of the lower convex hull
    };
    std::vector<Point> points;
    std::size_t undominated = 0; ///< that were found; `points` may be a part of them
    /// `undominated` are all that there are. Otherwise those between the corners were not searched,
    /// or some of them are only near the best at their cost.
    bool whole = false;
};
/// At most `most` (2 or more) points of the front; limits are not applied. The corners of the lower
/// convex hull are proven best at their cost; those between them come from merging the items one by
/// one, and are all that there are as long as no more than `mostLabels` partial selections are left
/// at a time. Where there are more points than asked for: the corners, if they fit, and of the
/// others (or of the corners) evenly spaced ones. Where the corners alone are enough, the others
/// are not searched. Empty where an item has no choice.
Front front(const std::vector<std::vector<ItemChoice>> &items, std::size_t most,
            std::size_t mostLabels = 40'000);

} // namespace kernscope::plan
