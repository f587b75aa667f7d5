// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/compare.h"

namespace kernscope {

/// What a pair of weights must keep within. Nothing set: no limit.
struct ValueLimits {
    std::optional<double> maxAbs, maxRel, maxUlp; ///< at most; not negative
    std::optional<double> minCosine, minSnr;      ///< at least; SNR in dB

    bool any() const { return maxAbs || maxRel || maxUlp || minCosine || minSnr; }
};
using ValueLimit = std::optional<double> ValueLimits::*;

/// Limits for the weights whose name or address, in A or in B, matches a pattern: "*" any run of
/// characters, "?" one.
struct LimitRule {
    std::string pattern;
    ValueLimits limits;
    std::optional<bool> allowMissing; ///< empty: as the rules before it say
    bool ignore = false;              ///< whatever becomes of these weights holds
    std::string
        form; ///< that the new build stores them in ("palette4", core/assessment/coverage.h)
    std::optional<double> auditLimit; ///< of `audit`: times the best possible error

    /// Whether it is about the form in the new build alone, and says nothing of values.
    bool ofBuild() const { return !form.empty() && !limits.any() && !allowMissing && !ignore; }
};

/// What a comparison must keep within to hold. With any limit, weights that no limit covers must
/// have equal values (however they are stored), unless nothing but the program is asked for.
struct DiffLimits {
    ValueLimits values;           ///< of every weight
    std::vector<LimitRule> rules; ///< a later one that matches replaces what it sets
    bool allowMissing = false;    ///< weights of one side only do not matter
    bool sameProgram = false;     ///< the operations that compute must be equal
    bool noKnownFaults = false;   ///< the new build has the pattern of no fault that is undisputed
    std::vector<std::string> allowedFaults; ///< but of these: rows of known_faults.csv
    std::optional<double> auditLimit;       ///< of `audit`, of every weight

    bool any() const;
    /// Whether any weight has to be looked at.
    bool concernsWeights() const;
    /// Whether a rule leaves the weight out.
    bool ignores(const Weight &weight) const;
    /// What `audit` takes for at fault: times the best possible error. Empty: no rule says.
    std::optional<double> auditLimitOf(const Weight &weight) const;
};

/// A figure of a limit, or in words what has none.
using LimitFigure = std::variant<std::string, double, std::uint64_t>;
/// "0.25", "17408", "infinite", or the words.
std::string limitFigureText(const LimitFigure &figure);

/// A figure that comparisons are judged by.
struct ValueMeasure {
    std::string_view name;           ///< "relative_rmse", "max_abs", …, as reports call it
    ValueLimit limit;                ///< null: there is none for it
    double ValueDifference::*figure; ///< null: steps
    bool atMost;                     ///< the larger, the worse
    /// In words where there is no number for it: "not finite", "of two types".
    LimitFigure of(const ValueDifference &values) const;
};
/// The most telling one first.
std::span<const ValueMeasure> valueMeasures();

/// One thing that does not hold.
struct LimitFault {
    std::string weight;  ///< of A, or of B where only that has it; empty: the whole comparison
    std::string weightB; ///< its partner; empty where there is none
    /// "max_abs", "max_rel", "max_ulp", "min_cosine", "min_snr"; "equal" (no limit covers the
    /// weight), "shape", "readable", "missing", "form"; of the whole: "same_program", "identical";
    /// of either: "known_fault".
    std::string limit;
    LimitFigure found, allowed;
    std::string rule; ///< pattern of the rule that set the limit; empty: it is of every weight
};

/// Which limits the values of a pair exceed, without the names of the weight. Of values that are
/// not finite on one side only, or differ there, none holds; of two types no limit of steps does.
std::vector<LimitFault> exceededLimits(const ValueDifference &values, const ValueLimits &limits);

/// Whether one element keeps the limits that concern single elements: of difference, relative
/// difference and ULP, in steps of `type` (that of A). Without any of those, whether it is equal.
bool elementWithin(double a, double b, ElementType type, const ValueLimits &limits);

/// The limits that are exceeded. Without any limit: empty only for identical builds. Of values that
/// are not finite on one side only, or differ there, no limit holds. Needs the values compared
/// where limits.concernsWeights().
std::vector<LimitFault> checkLimits(const Bundle &a, const Bundle &b, const Difference &difference,
                                    const DiffLimits &limits);

/// The limits that one build alone exceeds: the forms of its weights, known faults. Reads tables.
std::vector<LimitFault> checkBuild(const Bundle &build, const DiffLimits &limits);

/// Patterns of rules that no weight of either bundle matches: a name is wrong, and the limits guard
/// nothing.
std::vector<std::string> unusedRules(const Bundle &a, const Bundle &b, const DiffLimits &limits);

/// Limits of a rules file. TOML: at the top `max-abs`, `max-rel`, `max-ulp`, `min-cosine`,
/// `min-snr`, `audit-limit`, `allow-missing`, `same-program`, `no-known-faults` and `allow-faults`
/// for every weight, then tables [[weight]] with `match`, limits of the same names, `form`,
/// `allow-missing` or `ignore`. `file` names it in errors:
/// "diff.rules" (no TOML, an unknown key, a value of another type, a negative or undefined number,
/// a table that sets nothing), with the line in `field`.
Result<DiffLimits> parseRules(std::string_view text, const std::string &file);

} // namespace kernscope
