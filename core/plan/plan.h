// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/survey.h"

/// A plan: one form for every weight of a network, the best within limits.
namespace kernscope::plan {

enum class Goal : std::uint8_t { Time, Stored, Moved, Error };
std::string_view goalName(Goal goal); ///< "time", "stored", "moved", "error"
std::optional<Goal> goalFromName(std::string_view name);

/// What a plan may cost, and what is to be least.
///
/// The error of a layer is the relative error of its weight times its sensitivity. The error of the
/// network is the root of the sum of the layers' squared errors, each times the energy of its
/// weight (Row::energy), over the sum of the energies: the relative error of all weights taken as
/// one.
///
/// On several chips a form must be one that all of them take, and the slowest chip (or
/// the one that moves the most) counts for each layer: the sum is at least the time of each chip.
/// Chips whose ceilings are not known have no part in times.
struct Limits {
    /// Empty: time where those of all weights are known on one of the chips and a form can change
    /// that of a run, else stored bytes.
    std::optional<Goal> goal;
    double tolerance = 0.01;               ///< largest error of a layer
    std::optional<double> totalTolerance;  ///< largest error of the network
    std::optional<std::uint64_t> maxBytes; ///< stored bytes of all weights
    /// Pattern of weights' names, and a form or "keep"; of several that match, the last. A form
    /// that is asked for by hand may pass the tolerance of its layer.
    std::vector<std::pair<std::string, std::string>> forced;
    std::size_t frontPoints = 40; ///< of each front, at most: its corners, then plans between them
    Progress *progress = nullptr; ///< cancels the search
};

/// A network in one form or another.
struct PlanTotals {
    std::uint64_t stored = 0; ///< of the weights whose stored bytes are known
    std::size_t unread = 0;   ///< weights whose stored bytes are not known
    std::vector<std::optional<std::uint64_t>> moved; ///< by target; empty: not known
    /// By target: what the whole program takes, as the roofline says it.
    std::vector<roofline::ProgramTime> programs;
    double error = 0;               ///< of the network
    double largestError = 0;        ///< of a layer
    std::size_t largest = kNoIndex; ///< row of that layer; none where all are exact

    /// Of all weights. Empty: those of a weight are not known.
    std::optional<std::uint64_t> allStored() const
    {
        return unread == 0 ? std::optional(stored) : std::nullopt;
    }
    /// A run waits for its calls, whatever the forms, on every chip whose times are known.
    bool hidesGains() const
    {
        return std::ranges::any_of(programs, &roofline::ProgramTime::hidesGains) &&
               std::ranges::all_of(programs, [](const roofline::ProgramTime &program) {
                   return program.timed == 0 || program.hidesGains();
               });
    }
    /// Empty: a layer's is not known, or a run enters one of several functions.
    const std::optional<double> &engineTimeS(std::size_t target) const
    {
        return programs[target].engineTimeS;
    }
};

struct FrontPoint {
    std::vector<std::size_t> choice; ///< by row
    bool corner = false;             ///< of the lower convex hull: proven best at its cost
    PlanTotals totals;
};

/// Of a front: how many plans there are that none is better than.
struct FrontCount {
    std::size_t found = 0; ///< the points of the front may be a part of them
    bool whole = false;    ///< all that there are
};

struct Plan {
    std::vector<std::size_t> choice; ///< by row: index of its candidate; 0 keeps the form
    std::vector<std::string> why;    ///< by row
    Goal goal = Goal::Time;          ///< what is least
    PlanTotals before, after;
    bool proven = false; ///< no other choice within the limits is better
    double cost = 0;     ///< of the goal: seconds, bytes or a squared error
    double bound = 0;    ///< no choice within the limits costs less
    std::size_t untimed =
        0; ///< weights whose time is known on no chip; least time counts them as 0
    /// The least error of the network at a number of stored bytes, or at a time on the slowest
    /// chip; the tolerance of layers and the limits are left aside. Errors fall along the front.
    /// There is none of times where no chip's sum of times is known.
    std::vector<FrontPoint> storedFront, timeFront;
    FrontCount storedCount, timeCount;
};

/// Chooses. Errors: "plan.infeasible" (no choice keeps the limits: which limit binds, and the least
/// that can be had), "plan.open" (none was found), "plan.forced" (a form by hand that is not
/// possible, or a pattern that no weight has), "plan.time" (time is asked for, and none is known),
/// "task.cancelled".
Result<Plan> solve(const Survey &survey, const Limits &limits);

/// What there is where no plan keeps the limits: every weight as it is, and the fronts.
Plan asStored(const Survey &survey, const Limits &limits);

/// The figures of any choice.
PlanTotals totalsOf(const Survey &survey, const std::vector<std::size_t> &choice);

/// The longest of the times that are known; empty where none is.
std::optional<double> slowest(const Candidate &candidate);
std::optional<double> slowest(const PlanTotals &totals);

/// The error of a row in a form, with its sensitivity.
double layerError(const Row &row, const Candidate &candidate);

/// What a row is stored as in a form: the name of what it has, or of what it gets.
std::string formOf(const Row &row, std::size_t choice);

} // namespace kernscope::plan
