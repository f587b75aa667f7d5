// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_bins.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernscope {

namespace {

constexpr std::size_t kBins = PairBins::kBins;

/// Adds a count and keeps the first element that was counted.
void countIn(std::vector<std::uint64_t> &counts, std::vector<std::uint64_t> &first, std::size_t bin,
             std::uint64_t element)
{
    if (counts[bin]++ == 0)
        first[bin] = element;
}

/// The bin that a bin falls into once the width doubles.
std::size_t halved(std::size_t bin)
{
    return kBins / 4 + bin / 2;
}

void fold(std::vector<std::uint64_t> &counts)
{
    std::vector<std::uint64_t> folded(kBins, 0);
    for (std::size_t i = 0; i < kBins; ++i)
        folded[halved(i)] += counts[i];
    counts = std::move(folded);
}

void foldFirst(std::vector<std::uint64_t> &first)
{
    std::vector<std::uint64_t> folded(kBins, PairBins::kNoElement);
    for (std::size_t i = 0; i < kBins; ++i)
        folded[halved(i)] = std::min(folded[halved(i)], first[i]);
    first = std::move(folded);
}

} // namespace

std::optional<std::size_t> PairBins::binOf(double value) const
{
    const double bin = std::floor(value / width) + static_cast<double>(kBins / 2);
    if (!(bin >= 0 && bin < static_cast<double>(kBins)))
        return std::nullopt;
    return static_cast<std::size_t>(bin);
}

std::optional<std::pair<std::size_t, std::size_t>> PairBins::occupied() const
{
    std::optional<std::pair<std::size_t, std::size_t>> range;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == 0 && b[i] == 0)
            continue;
        range = {range ? range->first : i, i};
    }
    return range;
}

namespace diff {

PairBinner::PairBinner(double range)
{
    const double reach = std::isfinite(range) && range > 0 ? range : 1.0;
    int exponent = 0;
    // reach <= 2^exponent: the magnitude lies within the bins of one side of 0.
    const double mantissa = std::frexp(reach, &exponent);
    exponent -= mantissa == 0.5 ? 1 : 0;
    // Of the largest numbers 2^exponent is none.
    m_bins.width = std::ldexp(2.0 / static_cast<double>(kBins), exponent);
    for (auto *counts : {&m_bins.a, &m_bins.b, &m_bins.zeroed, &m_bins.revived})
        counts->assign(kBins, 0);
    for (auto *first : {&m_bins.firstZeroed, &m_bins.firstRevived})
        first->assign(kBins, PairBins::kNoElement);
    m_bins.both.assign(kBins * kBins, 0);
    m_bins.first.assign(kBins * kBins, PairBins::kNoElement);
}

void PairBinner::add(std::uint64_t first, std::span<const double> a, std::span<const double> b)
{
    widenFor(a);
    widenFor(b);
    for (std::size_t i = 0; i < a.size(); ++i)
        addOne(first + i, a[i], b[i]);
}

void PairBinner::widenFor(std::span<const double> values)
{
    double most = 0;
    for (const double value : values)
        most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
    while (m_widenings > 0 && most >= -m_bins.edge(0)) {
        widen();
        --m_widenings;
    }
}

void PairBinner::widen()
{
    m_bins.width *= 2;
    for (auto *counts : {&m_bins.a, &m_bins.b, &m_bins.zeroed, &m_bins.revived})
        fold(*counts);
    for (auto *first : {&m_bins.firstZeroed, &m_bins.firstRevived})
        foldFirst(*first);
    std::vector<std::uint64_t> both(kBins * kBins, 0), first(kBins * kBins, PairBins::kNoElement);
    for (std::size_t y = 0; y < kBins; ++y) {
        for (std::size_t x = 0; x < kBins; ++x) {
            const std::size_t from = y * kBins + x, to = halved(y) * kBins + halved(x);
            both[to] += m_bins.both[from];
            first[to] = std::min(first[to], m_bins.first[from]);
        }
    }
    m_bins.both = std::move(both);
    m_bins.first = std::move(first);
}

void PairBinner::addOne(std::uint64_t element, double a, double b)
{
    const bool finiteA = std::isfinite(a), finiteB = std::isfinite(b);
    const std::size_t binA = finiteA ? m_bins.binOf(a).value_or(kBins) : kBins;
    const std::size_t binB = finiteB ? m_bins.binOf(b).value_or(kBins) : kBins;
    if (binA < kBins)
        ++m_bins.a[binA];
    if (binB < kBins)
        ++m_bins.b[binB];
    m_bins.outsideA += finiteA && binA == kBins;
    m_bins.outsideB += finiteB && binB == kBins;
    m_bins.notFiniteA += !finiteA;
    m_bins.notFiniteB += !finiteB;
    if (!finiteA || !finiteB)
        ++m_bins.notFinite;
    else if (a == 0 && b == 0)
        ++m_bins.zeros;
    else if (binA == kBins || binB == kBins)
        ++m_bins.outside;
    else if (b == 0)
        countIn(m_bins.zeroed, m_bins.firstZeroed, binA, element);
    else if (a == 0)
        countIn(m_bins.revived, m_bins.firstRevived, binB, element);
    else
        countIn(m_bins.both, m_bins.first, binB * kBins + binA, element);
}

PairBins PairBinner::take()
{
    return std::move(m_bins);
}

} // namespace diff

} // namespace kernscope
