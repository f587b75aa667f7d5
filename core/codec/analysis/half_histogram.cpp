// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/half_histogram.h"

#include "core/codec/kernels/nearest_kernels.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kernscope::codec {

namespace {

constexpr std::size_t kHalves = 0x10000;
constexpr std::size_t kSortBlock = 4096;
/// Below this many values sorting them is cheaper than a pass over all fp16 numbers.
constexpr std::size_t kFew = 16384;

/// Calls `each(halves)` for the values as fp16, a block at a time.
template <class Each>
void forEachHalfBlock(std::span<const float> values, Each each)
{
    std::array<std::uint16_t, kSortBlock> halves;
    for (std::size_t at = 0; at < values.size(); at += kSortBlock) {
        const auto part = values.subspan(at, std::min(kSortBlock, values.size() - at));
        const auto some = std::span(halves).first(part.size());
        convertFloatToHalf(part, some);
        each(at, some);
    }
}

/// A finite fp16 number, by a key in the order of the values, and where it lies in its run.
struct KeyedHalf {
    std::uint16_t key = 0; ///< halfOrder + 0x8000
    std::uint16_t half = 0;
    std::uint32_t place = 0;
};

/// The finite values as fp16, ascending, equal ones in the order of their places; -0 is +0. For
/// runs of fewer than kFew.
std::vector<KeyedHalf> sortedHalves(std::span<const float> values)
{
    constexpr std::size_t kDigits = 256;
    std::vector<KeyedHalf> sorted;
    sorted.reserve(values.size());
    std::array<std::uint32_t, kDigits> low{}, high{};
    forEachHalfBlock(values, [&](std::size_t at, std::span<const std::uint16_t> halves) {
        for (std::size_t i = 0; i < halves.size(); ++i) {
            const std::uint16_t half = halves[i] == 0x8000u ? std::uint16_t{0} : halves[i];
            if ((half & kHalfInfinity) == kHalfInfinity)
                continue;
            const auto key = static_cast<std::uint16_t>(halfOrder(half) + 0x8000);
            ++low[key % kDigits];
            ++high[key / kDigits];
            sorted.push_back({key, half, static_cast<std::uint32_t>(at + i)});
        }
    });
    std::vector<KeyedHalf> other(sorted.size());
    const auto pass = [&](std::array<std::uint32_t, kDigits> &counts, unsigned shift) {
        std::uint32_t before = 0;
        for (std::uint32_t &count : counts)
            before += std::exchange(count, before);
        for (const KeyedHalf &one : sorted)
            other[counts[(one.key >> shift) % kDigits]++] = one;
        sorted.swap(other);
    };
    pass(low, 0);
    pass(high, 8);
    return sorted;
}

HalfHistogram sortedHistogram(std::span<const float> values)
{
    HalfHistogram histogram;
    const std::vector<KeyedHalf> sorted = sortedHalves(values);
    histogram.finite = sorted.size() == values.size();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            histogram.values.push_back({halfToFloat(sorted[i].half), 0});
        ++histogram.values.back().count;
    }
    return histogram;
}

/// Narrow counters stay in a nearer cache; two sets, since equal neighbours wait for each other.
std::vector<std::uint64_t> countHalves(std::span<const float> values)
{
    std::vector<std::uint64_t> counts(kHalves);
    constexpr std::size_t kMost = std::size_t{1} << 30;
    std::vector<std::uint32_t> even(kHalves);
    std::vector<std::uint32_t> odd(kHalves);
    for (std::size_t start = 0; start < values.size(); start += kMost) {
        std::fill(even.begin(), even.end(), 0u);
        std::fill(odd.begin(), odd.end(), 0u);
        forEachHalfBlock(values.subspan(start, std::min(kMost, values.size() - start)),
                         [&](std::size_t, std::span<const std::uint16_t> halves) {
                             std::size_t i = 0;
                             for (; i + 2 <= halves.size(); i += 2) {
                                 ++even[halves[i]];
                                 ++odd[halves[i + 1]];
                             }
                             for (; i < halves.size(); ++i)
                                 ++even[halves[i]];
                         });
        for (std::size_t half = 0; half < kHalves; ++half)
            counts[half] += std::uint64_t{even[half]} + odd[half];
    }
    counts[0] += std::exchange(counts[0x8000], 0);
    return counts;
}

} // namespace

HalfHistogram histogramOf(std::span<const float> values)
{
    if (values.size() < kFew)
        return sortedHistogram(values);
    const std::vector<std::uint64_t> counts = countHalves(values);
    HalfHistogram histogram;
    std::uint64_t found = 0;
    const auto add = [&](std::uint32_t half) {
        if (counts[half] == 0)
            return;
        histogram.values.push_back({halfToFloat(static_cast<std::uint16_t>(half)), counts[half]});
        found += counts[half];
    };
    for (std::uint32_t half = 0xfbff; half > 0x8000; --half)
        add(half);
    for (std::uint32_t half = 0; half < kHalfInfinity; ++half)
        add(half);
    histogram.finite = found == values.size();
    return histogram;
}

/// massedHistogram of few values.
static std::vector<MassedValue> sortedMasses(std::span<const float> values,
                                             std::span<const float> masses)
{
    std::vector<MassedValue> massed;
    std::uint16_t last = 0;
    for (const KeyedHalf &one : sortedHalves(values)) {
        const float mass = masses[one.place];
        if (!(mass > 0))
            continue;
        if (massed.empty() || one.key != last)
            massed.push_back({halfToFloat(one.half), 0});
        last = one.key;
        massed.back().mass += static_cast<double>(mass);
    }
    return massed;
}

std::vector<MassedValue> massedHistogram(std::span<const float> values,
                                         std::span<const float> masses)
{
    if (masses.empty())
        return {};
    if (values.size() < kFew)
        return sortedMasses(values, masses);
    std::vector<double> sums(kHalves);
    forEachHalfBlock(values, [&](std::size_t at, std::span<const std::uint16_t> halves) {
        for (std::size_t i = 0; i < halves.size(); ++i)
            sums[halves[i]] += static_cast<double>(masses[at + i]);
    });
    sums[0] += std::exchange(sums[0x8000], 0.0);
    std::vector<MassedValue> massed;
    const auto add = [&](std::uint32_t half) {
        if (sums[half] > 0)
            massed.push_back({halfToFloat(static_cast<std::uint16_t>(half)), sums[half]});
    };
    for (std::uint32_t half = 0xfbff; half > 0x8000; --half)
        add(half);
    for (std::uint32_t half = 0; half < kHalfInfinity; ++half)
        add(half);
    return massed;
}

double massedError(std::span<const MassedValue> values, std::span<const float> entries)
{
    double error = 0;
    std::size_t nearest = 0;
    for (const MassedValue &one : values) {
        const auto off = [&](std::size_t entry) {
            return std::abs(static_cast<double>(one.value) - static_cast<double>(entries[entry]));
        };
        // Both ascend: the nearest entry never moves back.
        while (nearest + 1 < entries.size() && off(nearest + 1) <= off(nearest))
            ++nearest;
        error += one.mass * off(nearest) * off(nearest);
    }
    return error;
}

NearestEntry::NearestEntry(std::span<const float> entries, bool many) : m_entries(entries)
{
    if (!many)
        return;
    m_table.resize(kHalves);
    for (std::size_t half = 0; half < kHalves; ++half) {
        if ((half & kHalfInfinity) != kHalfInfinity)
            m_table[half] = search(static_cast<std::uint16_t>(half));
    }
    findBounds();
}

void NearestEntry::findBounds()
{
    constexpr std::size_t kMostEntries = 16; // more comparisons take longer than a lookup
    if (m_entries.size() > kMostEntries)
        return;
    const auto entryAt = [&](int order) {
        const auto bits = static_cast<std::uint16_t>(order);
        return m_table[order < 0 ? bits ^ 0x7fffu : bits];
    };
    constexpr int kLargest = kHalfInfinity - 1;
    for (int order = -kLargest - 1; order < kLargest; ++order) {
        const int step = entryAt(order + 1) - entryAt(order);
        if (step == 1)
            m_bounds.push_back(static_cast<std::int16_t>(order));
        else if (step != 0)
            break;
    }
    if (m_bounds.size() + 1 != m_entries.size() || entryAt(-kLargest - 1) != 0)
        m_bounds.clear();
}

std::uint8_t NearestEntry::search(std::uint16_t half) const
{
    const float value = halfToFloat(half);
    const auto above = std::lower_bound(m_entries.begin(), m_entries.end(), value);
    auto nearest = above;
    if (above == m_entries.end() ||
        (above != m_entries.begin() && value - *(above - 1) <= *above - value))
        nearest = above - 1;
    // Of equal entries, the first.
    nearest = std::lower_bound(m_entries.begin(), m_entries.end(), *nearest);
    return static_cast<std::uint8_t>(nearest - m_entries.begin());
}

void NearestEntry::assign(std::span<const float> values, std::span<std::uint8_t> indices) const
{
    forEachHalfBlock(values, [&](std::size_t at, std::span<const std::uint16_t> halves) {
        const auto some = indices.subspan(at, halves.size());
        if (!m_bounds.empty()) {
            countBelow(halves, m_bounds, some);
        } else if (!m_table.empty()) {
            std::transform(halves.begin(), halves.end(), some.begin(),
                           [this](std::uint16_t half) { return m_table[half]; });
        } else {
            std::transform(halves.begin(), halves.end(), some.begin(),
                           [this](std::uint16_t half) { return search(half); });
        }
    });
}

} // namespace kernscope::codec
