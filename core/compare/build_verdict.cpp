// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/build_verdict.h"

#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"
#include "core/bundle/stored_bytes.h"
#include "core/compare/container_difference.h"

#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

/// Both have a program, and they do not compute the same.
bool programsDiffer(const Difference &difference)
{
    const auto &program = difference.program;
    return program.bytesA && program.bytesB && !program.sameComputation;
}

void judgeFaithful(const Difference &difference, BuildVerdict &verdict)
{
    // Numbers of a program without weights (trees, scalers) are compared as its bytes alone.
    bool known = !difference.weights.empty() || !programsDiffer(difference);
    bool faithful = difference.onlyA.empty() && difference.onlyB.empty();
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

/// Whether only the notation differs: names of resources, dates, the order of tables. Of a hardware
/// container in other bytes it cannot be said: not all of its words are known.
bool sameContent(const Difference &difference)
{
    const auto &program = difference.program;
    return !difference.identical && program.equal && (program.bytesA || program.sameBytes) &&
           difference.onlyA.empty() && difference.onlyB.empty() &&
           std::ranges::all_of(difference.weights, [](const ComparedPair &pair) {
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

/// So few elements are counted rather than judged.
constexpr std::uint64_t kFew = 16;

std::string storedVerdict(const ComparedPair &pair, const Weight &a, const Weight &b)
{
    if (pair.rule)
        return ruleText(*pair.rule);
    if (!pair.shapeEqual)
        return pair.reshaped ? "same values, another shape" : "shapes differ";
    if (pair.storedEqual)
        return pair.layoutEqual ? "identical" : "same bytes";
    if (pair.layoutEqual)
        return "stored bytes differ";
    return a.form == b.form ? "layouts differ" : "forms differ";
}

/// Of a pair whose channels stand in another order.
std::string reorderedVerdict(const ComparedPair &pair, const ValueDifference &values)
{
    const std::string text = "channels reordered, ";
    if (pair.reordered->different == 0)
        return text + "same values";
    if (pair.step && pair.reordered->maxAbs <= *pair.step)
        return text + "within one step";
    return text +
           std::string(likenessText(values.relativeRmse * pair.reordered->rmse / values.rmse));
}

std::string valueVerdict(const ComparedPair &pair, const ValueDifference &values)
{
    if (values.identical())
        return pair.storedEqual && pair.layoutEqual ? "identical" : "same values";
    if (values.notFinite > 0)
        return notFiniteText(values);
    // A patch leaves the layout as it is: there the number says more than any word.
    const std::uint64_t different = values.different();
    const bool byRule = pair.rule && values.changed > values.equal;
    if (pair.layoutEqual && different <= kFew && !byRule)
        return different == 1 ? "1 value differs" : fmt::format("{} values differ", different);
    if (pair.rule)
        return ruleText(*pair.rule);
    if (pair.order && pair.reordered)
        return reorderedVerdict(pair, values);
    if (values.changed == 0 && values.cosine == 0)
        return values.revived == 0 ? "all zero in B" : "all zero in A";
    if (values.changed == 0)
        return values.revived == 0 ? "kept values exact" : "other zeros, kept values exact";
    if (pair.exchanged)
        return "the values of another weight";
    const std::string likeness(likenessText(values.relativeRmse));
    if (pair.step && values.maxAbs <= *pair.step && values.relativeRmse <= kSimilarRmse)
        return "within one step";
    if (values.maxUlp <= 1 && values.relativeRmse <= kCloseRmse)
        return "within one ULP";
    return values.revived > 0 ? likeness + ", zeros revived" : likeness;
}

/// Of a part of a split or merged weight.
std::string sliceVerdict(const ComparedPair &pair)
{
    const std::string name(pair.slice->name());
    if (pair.fault)
        return name + ", cannot be compared";
    if (!pair.values)
        return name;
    if (pair.values->identical())
        return name + ", same values";
    if (pair.values->notFinite > 0)
        return name + ", " + notFiniteText(*pair.values);
    return name + ", " + std::string(likenessText(pair.values->relativeRmse)) + ", " +
           counted(pair.values->different(), "value") +
           (pair.values->different() == 1 ? " differs" : " differ");
}

std::string programSummary(const Difference &difference)
{
    const auto &program = difference.program;
    if (!program.bytesA && !program.bytesB) // of a hardware container: ports and addresses
        return program.detail.changes.empty()
                   ? std::string()
                   : "interface differs in " + counted(program.detail.changes.size(), "place");
    if (!program.bytesA || !program.bytesB)
        return program.bytesA ? "program only in A" : "program only in B";
    if (program.sameBytes)
        return fmt::format("program identical ({} bytes)", grouped(program.bytesA->value));
    if (program.equal)
        return "program equal, in other bytes";
    if (program.sameComputation)
        return "program equal but for how weights are stored";
    const std::size_t changes = program.detail.changes.size();
    return changes == 0 ? "program differs" : "program differs in " + counted(changes, "place");
}

/// Elements whose values are others; of channels in another order those that still are, once they
/// stand in that order.
std::uint64_t differingValues(const ComparedPair &pair)
{
    if (!pair.values)
        return 0;
    return pair.reordered ? std::min(pair.reordered->different, pair.values->unfaithful)
                          : pair.values->unfaithful;
}

/// How many pairs have what in common.
struct PairCounts {
    std::uint64_t encoded = 0, edited = 0, unreadable = 0, renamed = 0, reordered = 0;
    std::uint64_t reshaped = 0, otherShape = 0, differing = 0, notFinite = 0;
    bool compared = false;

    void add(const Bundle &a, const Bundle &b, const ComparedPair &pair)
    {
        const bool inOrder = pair.order && (!pair.values || pair.reordered);
        unreadable += pair.unreadable();
        encoded += pair.reencoded();
        reordered += inOrder;
        edited += (pair.layoutEqual || pair.shapeOnly) && pair.shapeEqual && !pair.storedEqual &&
                  !pair.unreadable() && !inOrder;
        renamed += baseName(a.weights()[pair.a].name) != baseName(b.weights()[pair.b].name);
        reshaped += pair.reshaped;
        otherShape += !pair.shapeEqual && !pair.reshaped && !pair.unreadable();
        notFinite += pair.values && pair.values->notFinite > 0;
        compared = compared || pair.values || pair.reshaped;
        differing += differingValues(pair);
    }
    bool any() const
    {
        return encoded + edited + unreadable + reordered + reshaped + otherShape > 0;
    }
};

void addWeights(const Bundle &a, const Bundle &b, const Difference &difference,
                std::vector<std::string> &parts)
{
    PairCounts counts;
    const auto whole = wholePairs(difference.weights);
    for (const ComparedPair &pair : whole)
        counts.add(a, b, pair);
    const std::size_t all = whole.size();
    const auto share = [&](std::uint64_t count, std::string_view what) {
        if (count > 0)
            parts.push_back(
                fmt::format("{} of {} {}", grouped(count), counted(all, "weight"), what));
    };
    if (all > 0 && !counts.any())
        parts.push_back(counted(all, "weight") + " identical");
    share(counts.encoded, "re-encoded");
    share(counts.edited, "with other bytes");
    share(counts.reordered, "with channels in another order");
    share(counts.reshaped, "with the same values in another shape");
    share(counts.otherShape, "of another shape");
    share(counts.renamed, "renamed");
    share(counts.unreadable, "unreadable");
    share(counts.notFinite, "no longer finite");
    bool compared = counts.compared;
    std::uint64_t differing = counts.differing;
    std::uint64_t split = 0, merged = 0;
    for (const auto &list : slicedPairs(difference.weights)) {
        ++(list.front().slice->ofA ? split : merged);
        for (const ComparedPair &part : list) {
            compared = compared || part.values;
            differing += part.values ? part.values->unfaithful : 0;
        }
    }
    if (split > 0)
        parts.push_back(counted(split, "weight") + " split");
    if (merged > 0)
        parts.push_back("parts merged into " + counted(merged, "weight"));
    if (!difference.onlyA.empty())
        parts.push_back(counted(difference.onlyA.size(), "weight") + " only in A");
    if (!difference.onlyB.empty())
        parts.push_back(counted(difference.onlyB.size(), "weight") + " only in B");
    if (compared)
        parts.push_back(counted(differing, "value") + " changed beyond fp16 rounding");
}

/// Of hardware containers: "3 of 12 tasks changed, 1 inserted".
void addTasks(const Bundle &a, const Bundle &b, std::vector<std::string> &parts)
{
    const auto tasks = compareTasks(a, b);
    if (!tasks || (tasks->tasksA == 0 && tasks->tasksB == 0))
        return;
    if (!tasks->sameVersion)
        parts.emplace_back("task descriptors of another version");
    if (tasks->differences.empty()) {
        parts.push_back(counted(tasks->tasksA, "task") + " identical");
        return;
    }
    std::uint64_t removed = 0, inserted = 0;
    for (const descriptor::TaskDifference &difference : tasks->differences) {
        removed += difference.b == descriptor::kNoTask;
        inserted += difference.a == descriptor::kNoTask;
    }
    const std::uint64_t changed = tasks->differences.size() - removed - inserted;
    if (changed > 0)
        parts.push_back(
            fmt::format("{} of {} changed", grouped(changed), counted(tasks->tasksA, "task")));
    if (removed > 0)
        parts.push_back(counted(removed, "task") + " only in A");
    if (inserted > 0)
        parts.push_back(counted(inserted, "task") + " only in B");
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
        verdict.chips.push_back({&before.target(i), before.totals(i), after.totals(i)});
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
               (sameContent(difference)      ? "; program and values are the same, in other bytes"
                : programsDiffer(difference) ? " of the weights; the program differs"
                                             : "");
    if (!verdict.counterexample)
        return "not " + claim + ": weights without a partner, of another shape, or split or merged";
    const Weight &weight = a.weights()[difference.weights[*verdict.counterexamplePair].a];
    return fmt::format("not {}: {}[{}] is {} in A, {} in B", claim, weight.findableName(),
                       fmt::join(elementPlace(weight.shape, verdict.counterexample->element), ","),
                       exactText(verdict.counterexample->a), exactText(verdict.counterexample->b));
}

std::string differenceSummary(const Bundle &a, const Bundle &b, const Difference &difference)
{
    std::vector<std::string> parts;
    if (std::string program = programSummary(difference); !program.empty())
        parts.push_back(std::move(program));
    addTasks(a, b, parts);
    addWeights(a, b, difference, parts);
    std::string text;
    for (const std::string &part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string_view differenceWord(const Difference &difference)
{
    return difference.identical ? "identical"
           : difference.unread  ? "cannot be compared"
                                : "different";
}

std::string unreadableText(const Difference &difference)
{
    const auto pairs = wholePairs(difference.weights);
    const auto unread =
        static_cast<std::uint64_t>(std::ranges::count_if(pairs, &ComparedPair::unreadable));
    return unread == 0 ? std::string()
                       : fmt::format("{} of {} unreadable", grouped(unread),
                                     counted(pairs.size(), "weight"));
}

std::string verdict(const ComparedPair &pair, const Bundle &a, const Bundle &b)
{
    if (pair.slice)
        return sliceVerdict(pair);
    if (pair.unreadable())
        return "cannot be compared";
    if (pair.values)
        return valueVerdict(pair, *pair.values);
    return storedVerdict(pair, a.weights()[pair.a], b.weights()[pair.b]);
}

using SeverityKind = PairSeverity::Kind;

PairSeverity severityOf(const ValueDifference &values, bool storedEqual)
{
    if (values.identical())
        return {storedEqual ? SeverityKind::Identical : SeverityKind::SameValues};
    return {values.notFinite > 0 ? SeverityKind::NotFinite : SeverityKind::Differs,
            values.relativeRmse, values.maxAbs, values.different()};
}

PairSeverity severityOf(const ComparedPair &pair)
{
    if (pair.a == kNoIndex || pair.b == kNoIndex)
        return {SeverityKind::OneSided};
    if (pair.unreadable())
        return {SeverityKind::NotComparable};
    if (pair.values)
        return severityOf(*pair.values, pair.storedEqual && pair.layoutEqual);
    if (pair.storedEqual && pair.layoutEqual)
        return {SeverityKind::Identical};
    if (pair.reshaped || pair.storedEqual)
        return {SeverityKind::SameValues};
    return {pair.shapeEqual ? SeverityKind::Unknown : SeverityKind::NotComparable};
}

bool worse(const PairSeverity &x, const PairSeverity &y)
{
    // Larger differences come first, hence the sides change places.
    return std::tie(x.kind, y.relativeRmse, y.maxAbs, y.different) <
           std::tie(y.kind, x.relativeRmse, x.maxAbs, x.different);
}

std::vector<std::size_t> worstFirst(std::span<const PairSeverity> severities)
{
    std::vector<std::size_t> order(severities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t x, std::size_t y) { return worse(severities[x], severities[y]); });
    return order;
}

} // namespace kernscope
