// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_findings.h"

#include "app/cli/command.h"
#include "app/cli/diff_pairs.h"
#include "app/cli/diff_run.h"
#include "core/bundle/pair_read_lock.h"
#include "core/diff/severity.h"

#include <utility>

namespace kernscope::cli {

Result<void> checkForms(report::CheckedDifference &checked, Context &context)
{
    const auto &pairs = checked.difference.weights;
    for (std::size_t i = 0; i < wholePairs(pairs).size(); ++i) {
        if (!pairs[i].values || pairs[i].storedEqual)
            continue;
        auto form = checkForm(*checked.a, *checked.b, pairs[i], &context.progress);
        if (!form)
            return tl::unexpected(std::move(form.error()));
        if (form->mask || form->palette || form->codes || !form->notExamined.empty())
            checked.forms.emplace_back(i, *std::move(form));
    }
    return {};
}

Result<void> findWorst(report::CheckedDifference &checked, const DiffArguments &arguments,
                       Context &context)
{
    PlacesWanted wanted{arguments.channels ? PlacesWanted::kMostChannels : arguments.worst,
                        arguments.worst, arguments.histograms};
    if (!arguments.steps.empty())
        wanted.only.steps = stepsOf(arguments.steps);
    const auto &pairs = checked.difference.weights;
    std::vector<PairSeverity> severities;
    for (const ComparedPair &pair : wholePairs(pairs))
        severities.push_back(arguments.order == "a" ? PairSeverity() : severityOf(pair));
    std::vector<std::size_t> order = worstFirst(severities);
    while (order.size() < pairs.size()) // parts stay in their order
        order.push_back(order.size());
    for (const std::size_t i : order) {
        if (!pairs[i].values || pairs[i].values->identical())
            continue;
        auto worst = findWorstPlaces(*checked.a, *checked.b, pairs[i], wanted, &context.progress);
        if (!worst)
            return tl::unexpected(std::move(worst.error()));
        checked.worst.emplace_back(i, *std::move(worst));
    }
    return {};
}

std::optional<report::RangeList> findRanges(const report::CheckedDifference &checked,
                                            Context &context)
{
    AlignedBytes bytes{checked.a, checked.b, {}};
    {
        const PairReadLock lock(*checked.a, *checked.b);
        bytes.alignment = ByteAlignment(*checked.a, *checked.b, checked.difference.weights);
    }
    const auto differences = ByteDifferences::find(bytes, context.progress);
    if (!differences)
        return std::nullopt;
    return report::differentRanges(bytes, *differences, report::RangeList::kMostRanges,
                                   context.progress);
}

Result<void> findCodebooks(report::CheckedDifference &checked, Context &context)
{
    const auto &pairs = checked.difference.weights;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!pairs[i].shapeEqual || !hasCodebooks(*checked.a, *checked.b, pairs[i]))
            continue;
        auto match = matchCodebooks(*checked.a, *checked.b, pairs[i], &context.progress);
        if (match)
            checked.codebooks.emplace_back(i, *std::move(match));
        else if (match.error().code != "diff.codebooks")
            return tl::unexpected(std::move(match.error()));
    }
    return {};
}

} // namespace kernscope::cli
