// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/bundle_findings.h"

#include "core/bundle/stored_bytes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

namespace kernscope::ui {

namespace {

/// A largest magnitude this many standard deviations from the mean is worth a look.
constexpr double kFarOut = 20;
/// Fewer elements than this say little: biases of a few values.
constexpr std::uint64_t kLeastElements = 16;

Finding of(Finding::Kind kind, std::size_t weight, std::uint64_t count = 0, double value = 0)
{
    Finding finding;
    finding.kind = kind;
    finding.weight = weight;
    finding.count = count;
    finding.value = value;
    return finding;
}

void examineTables(const Bundle &bundle, std::vector<Finding> &found)
{
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.fault)
            found.push_back(of(Finding::Kind::Damaged, i));
        else if (weight.storedBytes > weight.denseFp16Bytes() && weight.ratio() > 1.01 &&
                 weight.elements.value >= kLeastElements)
            found.push_back(of(Finding::Kind::Larger, i,
                               weight.storedBytes.value - weight.denseFp16Bytes().value));
    }
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        if (bundle.files()[i].unusedRecords == 0)
            continue;
        Finding finding =
            of(Finding::Kind::UnusedRecords, kNoIndex, bundle.files()[i].unusedRecords);
        finding.file = i;
        found.push_back(finding);
    }
}

void examineValues(const std::vector<std::optional<Statistics>> &weights,
                   std::vector<Finding> &found)
{
    std::unordered_map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!weights[i])
            continue;
        const Statistics &s = *weights[i];
        if (s.nan + s.inf > 0)
            found.push_back(of(Finding::Kind::NonFinite, i, s.nan + s.inf));
        else if (s.elements >= kLeastElements && s.min == s.max)
            found.push_back(of(Finding::Kind::Constant, i, s.elements, s.min));
        const double far = std::abs(s.max) >= std::abs(s.min) ? s.max : s.min;
        if (s.standardDeviation > 0 && s.elements >= kLeastElements &&
            std::abs(far - s.mean) > kFarOut * s.standardDeviation)
            found.push_back(of(Finding::Kind::Outlier, i, s.elements, far));
        if (s.sha256.empty() || s.elements < kLeastElements || s.min == s.max)
            continue;
        const auto [at, fresh] = first.emplace(s.sha256, i);
        if (!fresh) {
            Finding twin = of(Finding::Kind::Duplicate, i);
            twin.other = at->second;
            found.push_back(twin);
        }
    }
}

} // namespace

BundleFigures examineBundle(const Bundle &bundle, bool read, Progress &progress)
{
    BundleFigures figures;
    examineTables(bundle, figures.findings);
    figures.zeros.resize(bundle.weights().size());
    if (read) {
        StatisticsOptions options;
        options.hash = true;
        // Of many weights their digests alone are megabytes: they do not stay.
        const auto weights = computeAllStatistics(bundle, options, &progress).weights;
        examineValues(weights, figures.findings);
        for (std::size_t i = 0; i < weights.size() && i < figures.zeros.size(); ++i) {
            if (weights[i])
                figures.zeros[i] = weights[i]->zeroFraction();
        }
    }
    std::stable_sort(figures.findings.begin(), figures.findings.end(),
                     [](const Finding &a, const Finding &b) { return a.kind < b.kind; });
    return figures;
}

BundleSums sumUpBundle(const Bundle &bundle)
{
    BundleSums sums;
    sums.totals = bundle.totals();
    sums.unread = weightsOfUnknownBytes(bundle);
    for (const mil::Function &function : bundle.program().functions)
        sums.operations += mil::operationCount(function.body);
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        BundleSums::Form &form = sums.forms[formText(weight.form)];
        if (form.weights++ == 0)
            form.first = i;
        form.bytes = checkedAdd(form.bytes, weight.storedBytes.value).value_or(UINT64_MAX);
    }
    return sums;
}

} // namespace kernscope::ui
