// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/checked_difference.h"

#include "core/base/error_builder.h"
#include "core/base/printable.h"
#include "core/bundle/bundle.h"
#include "core/bundle/pair_read_lock.h"
#include "core/compare/compare.h"
#include "core/report/difference_formats.h"
#include "core/report/difference_json.h"
#include "core/report/patch_files.h"

#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

/// What has no form to check is left out.
Result<void> findForms(CheckedDifference &checked, Progress *progress)
{
    const auto &pairs = checked.difference.weights;
    for (std::size_t i = 0; i < wholePairs(pairs).size(); ++i) {
        if (!pairs[i].values || pairs[i].storedEqual)
            continue;
        auto form = checkForm(*checked.a, *checked.b, pairs[i], progress);
        if (!form)
            return tl::unexpected(std::move(form.error()));
        if (form->mask || form->palette || form->codes || !form->notExamined.empty())
            checked.forms.emplace_back(i, *std::move(form));
    }
    return {};
}

Result<void> findPlaces(CheckedDifference &checked, const ComparisonWanted &wanted,
                        Progress *progress)
{
    const auto &pairs = checked.difference.weights;
    std::vector<PairSeverity> severities;
    for (const ComparedPair &pair : wholePairs(pairs))
        severities.push_back(wanted.placesOrder == RowOrder::OfA ? PairSeverity()
                                                                 : severityOf(pair));
    std::vector<std::size_t> order = worstFirst(severities);
    while (order.size() < pairs.size()) // parts stay in their order
        order.push_back(order.size());
    for (const std::size_t i : order) {
        if (!pairs[i].values || pairs[i].values->identical())
            continue;
        auto worst = findWorstPlaces(*checked.a, *checked.b, pairs[i], *wanted.places, progress);
        if (!worst)
            return tl::unexpected(std::move(worst.error()));
        checked.worst.emplace_back(i, *std::move(worst));
    }
    return {};
}

Result<void> findRanges(CheckedDifference &checked, Progress &progress)
{
    AlignedBytes bytes{checked.a, checked.b, {}};
    {
        const PairReadLock lock(*checked.a, *checked.b);
        bytes.alignment = ByteAlignment(*checked.a, *checked.b, checked.difference.weights);
    }
    if (const auto differences = ByteDifferences::find(bytes, progress))
        checked.ranges = differentRanges(bytes, *differences, RangeList::kMostRanges, progress);
    if (!checked.ranges)
        return tl::unexpected(cancelledError("The comparison was cancelled"));
    return {};
}

Result<void> findCodebooks(CheckedDifference &checked, Progress *progress)
{
    const auto &pairs = checked.difference.weights;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!pairs[i].shapeEqual || !hasCodebooks(*checked.a, *checked.b, pairs[i]))
            continue;
        auto match = matchCodebooks(*checked.a, *checked.b, pairs[i], progress);
        if (match)
            checked.codebooks.emplace_back(i, *std::move(match));
        else if (match.error().code != "diff.codebooks")
            return tl::unexpected(std::move(match.error()));
    }
    return {};
}

/// Of one build as it is found; of several the weights of the base are decoded once.
Result<std::vector<Difference>> compareWithBase(const Bundle &base,
                                                std::span<const BundlePtr> builds,
                                                std::span<const std::vector<PairChoice>> pairs,
                                                const DiffOptions &wanted, Progress *progress)
{
    std::vector<const Bundle *> others;
    std::vector<DiffOptions> options;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        others.push_back(builds[i].get());
        options.push_back(wanted);
        options.back().pairs = pairs[i];
    }
    if (others.size() > 1)
        return compareBuilds(base, others, options, progress);
    auto one = compareBundles(base, *others.front(), options.front(), progress);
    if (!one)
        return tl::unexpected(std::move(one.error()));
    return std::vector<Difference>{*std::move(one)};
}

} // namespace

Result<std::vector<CheckedDifference>>
compareChecked(const BundlePtr &base, std::span<const BundlePtr> builds,
               std::span<const std::vector<PairChoice>> pairs, const ComparisonWanted &wanted,
               Progress *progress)
{
    auto differences = compareWithBase(*base, builds, pairs, wanted.options, progress);
    if (!differences)
        return tl::unexpected(std::move(differences.error()));
    Progress own;
    std::vector<CheckedDifference> all;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        CheckedDifference checked{base, builds[i], std::move((*differences)[i]), {}, {}};
        checked.faults = checkLimits(*base, *checked.b, checked.difference, wanted.limits);
        checked.verdict = buildVerdict(*base, *checked.b, checked.difference);
        Result<void> found;
        if (wanted.forms)
            found = findForms(checked, progress);
        if (found && wanted.places)
            found = findPlaces(checked, wanted, progress);
        if (found && wanted.ranges)
            found = findRanges(checked, progress != nullptr ? *progress : own);
        if (found && wanted.codebooks)
            found = findCodebooks(checked, progress);
        if (!found)
            return tl::unexpected(std::move(found.error()));
        all.push_back(std::move(checked));
    }
    return all;
}

void setRowOrder(std::span<CheckedDifference> all, std::string_view format,
                 std::optional<RowOrder> order)
{
    const bool forPeople = format == "text" || format == "markdown" || format == "html";
    for (CheckedDifference &checked : all)
        checked.order = order.value_or(forPeople ? RowOrder::WorstFirst : RowOrder::OfA);
}

Result<std::string> differenceDocument(std::span<CheckedDifference> all, std::string_view format,
                                       const Diagnostics &diagnostics, Progress *progress)
{
    const CheckedDifference &first = all.front();
    if (format == "csv")
        return differenceCsv(all);
    if (format == "markdown")
        return differenceMarkdown(all);
    if (format == "junit")
        return differenceJunit(all);
    if (format == "html")
        return differenceHtml(all, progress);
    if (format == "changes")
        return changeScript(*first.a, *first.b, first.difference, progress);
    if (format == "ips" || format == "bps") {
        const auto patch =
            binaryPatch(*first.a, *first.b, first.difference,
                        format == "ips" ? BinaryFormat::Ips : BinaryFormat::Bps, progress);
        if (!patch)
            return tl::unexpected(patch.error());
        return std::string(reinterpret_cast<const char *>(patch->data()), patch->size());
    }
    if (format == "json") {
        Json document = differencesJson(all);
        finish(document, diagnostics);
        return printableJson(documentText(document)) + "\n";
    }
    return ErrorBuilder("diff.format")
        .expected("csv, markdown, junit, html, json, changes, ips or bps")
        .found(std::string(format))
        .message("This is no format of a comparison")
        .unexpected();
}

} // namespace kernscope::report
