// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/build_verdict.h"

#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

void judgeFaithful(const Difference &difference, BuildVerdict &verdict)
{
    bool known = true, faithful = difference.onlyA.empty() && difference.onlyB.empty();
    for (std::size_t i = 0; i < difference.weights.size(); ++i) {
        const ComparedPair &pair = difference.weights[i];
        faithful = faithful && (pair.shapeEqual || pair.unreadable());
        if (!pair.values) {
            // The same bytes under another program may stand for other values.
            known = known && !pair.unreadable() && pair.storedEqual && difference.program.equal;
            continue;
        }
        if (pair.values->faithful())
            continue;
        faithful = false;
        if (!pair.slice && !verdict.counterexample) {
            verdict.counterexamplePair = i;
            verdict.counterexample = pair.values->counterexample;
        }
    }
    if (!faithful || known)
        verdict.faithful = faithful;
}

/// Whether only the notation differs: names of resources, dates, the order of tables.
bool sameContent(const Difference &difference)
{
    return !difference.identical && difference.program.equal && difference.onlyA.empty() &&
           difference.onlyB.empty() &&
           std::all_of(difference.weights.begin(), difference.weights.end(),
                       [](const ComparedPair &pair) {
                           return pair.values ? pair.values->identical() : pair.storedEqual;
                       });
}

/// How bad a figure is: what is not finite is worse than any number.
using Badness = std::pair<bool, double>;
Badness badnessOf(const ValueMeasure &measure, const LimitFigure &figure)
{
    const auto *number = std::get_if<double>(&figure);
    const auto *steps = std::get_if<std::uint64_t>(&figure);
    if (number == nullptr)
        return {steps == nullptr, steps != nullptr ? static_cast<double>(*steps) : 0};
    return {false, measure.atMost ? *number : -*number};
}

void findWorst(const Difference &difference, BuildVerdict &verdict)
{
    for (const ValueMeasure &measure : valueMeasures()) {
        std::optional<WorstFigure> worst;
        Badness worstOf;
        const auto look = [&](const auto &values, std::size_t a, std::size_t b) {
            const bool steps = measure.figure == nullptr;
            if (!values || values->identical() || (steps && !values->oneType))
                return;
            LimitFigure figure = measure.of(*values);
            const Badness badness = badnessOf(measure, figure);
            if (worst && !(badness > worstOf))
                return;
            worstOf = badness;
            worst = {std::string(measure.name), a, b, std::move(figure)};
        };
        for (const ComparedPair &pair : difference.weights)
            look(pair.values, pair.a, pair.b);
        if (worst)
            verdict.worst.push_back(*std::move(worst));
    }
}

std::optional<std::uint64_t> knownBytes(const Bundle &bundle)
{
    return weightsOfUnknownBytes(bundle) > 0 ? std::nullopt
                                             : std::optional(bundle.totals().storedBytes.value);
}

BuildOutcome outcomeOf(const TargetTotals &totals)
{
    return {totals.streams, totals.folds,      totals.dense,    totals.rejected,
            totals.unknown, totals.bytesMoved, totals.movedOpen};
}

} // namespace

BuildVerdict buildVerdict(const Bundle &a, const Bundle &b, const Difference &difference)
{
    const auto targets = allTargets();
    return buildVerdict(a, b, difference, DecisionTable(a, targets), DecisionTable(b, targets));
}

BuildVerdict buildVerdict(const Bundle &a, const Bundle &b, const Difference &difference,
                          const DecisionTable &before, const DecisionTable &after)
{
    BuildVerdict verdict;
    verdict.storedA = knownBytes(a);
    verdict.storedB = knownBytes(b);
    if (verdict.storedA && verdict.storedB && *verdict.storedA > 0)
        verdict.storedRatio =
            static_cast<double>(*verdict.storedB) / static_cast<double>(*verdict.storedA);
    judgeFaithful(difference, verdict);
    findWorst(difference, verdict);
    for (std::size_t i = 0; i < before.columns(); ++i)
        verdict.chips.push_back(
            {&before.target(i), outcomeOf(before.totals(i)), outcomeOf(after.totals(i))});
    return verdict;
}

std::string faithfulText(const Bundle &a, const Difference &difference, const BuildVerdict &verdict)
{
    const std::string claim = "bit-faithful to A apart from fp16 rounding";
    if (!verdict.faithful) {
        const std::string unread = unreadableText(difference);
        return claim + (unread.empty() ? ": not examined, the values were not compared"
                                       : ": cannot be compared, " + unread);
    }
    if (*verdict.faithful)
        return claim + ": proved" +
               (sameContent(difference) ? "; program and values are the same, in other bytes" : "");
    if (!verdict.counterexample)
        return "not " + claim + ": weights without a partner, of another shape, or split or merged";
    const Weight &weight = a.weights()[difference.weights[*verdict.counterexamplePair].a];
    return fmt::format("not {}: {}[{}] is {} in A, {} in B", claim, weight.findableName(),
                       fmt::join(elementPlace(weight.shape, verdict.counterexample->element), ","),
                       exactText(verdict.counterexample->a), exactText(verdict.counterexample->b));
}

std::vector<std::uint64_t> elementPlace(const Shape &shape, std::uint64_t element)
{
    std::vector<std::uint64_t> place(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(shape[axis], 1);
        place[axis] = element % extent;
        element /= extent;
    }
    return place;
}

} // namespace kernscope
