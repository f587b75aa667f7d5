// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/nearest_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace kernscope::codec {

namespace {

constexpr std::size_t kBuckets = 1024;
constexpr std::size_t kMostInBucket = 8; ///< more of them are found sooner by halving

/// Doubles as integers of the same order.
std::int64_t rankOf(double value)
{
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

double ofRank(std::int64_t rank)
{
    return std::bit_cast<double>(rank < 0 ? std::numeric_limits<std::int64_t>::min() - rank : rank);
}

/// The largest double that goes to `lower`. Differences are rounded, and rounding keeps the order:
/// whatever is below a value that goes there goes there as well.
double limitBetween(double lower, double upper, bool lowerFirst)
{
    const auto goes = [&](std::int64_t rank) {
        return goesToLower(ofRank(rank), lower, upper, lowerFirst);
    };
    // It is next to the middle, unless the differences are rounded: in steps that grow from there.
    const std::int64_t first = rankOf(lower), last = rankOf(upper);
    std::int64_t low = std::clamp(rankOf(lower / 2 + upper / 2), first, last), high = low;
    for (std::int64_t step = 1; low > first && !goes(low); step *= 2)
        low = low - first > step ? low - step : first;
    for (std::int64_t step = 1; high < last && goes(high); step *= 2)
        high = last - high > step ? high + step : last;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (goes(middle) ? low : high) = middle;
    }
    return ofRank(low);
}

} // namespace

bool goesToLower(double value, double lower, double upper, bool lowerFirst)
{
    const double downBy = std::abs(lower - value), upBy = std::abs(upper - value);
    return (downBy < upBy) | ((downBy == upBy) & lowerFirst);
}

std::vector<double> limitsOf(std::span<const double> values, std::span<const std::int64_t> codes)
{
    std::vector<double> limits;
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
        limits.push_back(limitBetween(values[i], values[i + 1], codes[i] < codes[i + 1]));
    return limits;
}

namespace {

/// Of two values, the greater one is never in an earlier bucket, however the product is rounded:
/// limits in earlier buckets are below a value, those in later ones above it.
template <class Value>
std::int32_t bucketOf(Value value, Value low, Value perUnit)
{
    constexpr auto kLast = static_cast<Value>(kBuckets - 1);
    const Value place = (value - low) * perUnit;
    const Value above = place > 0 ? place : Value(0);
    return static_cast<std::int32_t>(above < kLast ? above : kLast);
}

} // namespace

template <class Value>
LimitIndex<Value>::LimitIndex(std::vector<Value> limits) : m_limits(std::move(limits))
{
    const std::size_t count = m_limits.size();
    if (count == 0 || count >= std::numeric_limits<std::uint16_t>::max())
        return;
    m_low = m_limits.front();
    m_perUnit = static_cast<Value>(kBuckets) / (m_limits.back() - m_low);
    if (!std::isfinite(m_perUnit) || m_perUnit <= 0)
        return;
    std::vector<std::uint16_t> inBucket(kBuckets);
    for (const Value limit : m_limits)
        ++inBucket[static_cast<std::size_t>(bucketOf(limit, m_low, m_perUnit))];
    m_most = *std::max_element(inBucket.begin(), inBucket.end());
    if (m_most > kMostInBucket)
        return;
    m_starts.resize(kBuckets);
    for (std::size_t i = 1; i < kBuckets; ++i)
        m_starts[i] = static_cast<std::uint16_t>(m_starts[i - 1] + inBucket[i - 1]);
    m_limits.resize(count + kMostInBucket, std::numeric_limits<Value>::infinity());
}

template <class Value>
template <std::size_t Most>
void LimitIndex<Value>::findOf(std::span<const Value> asked, std::span<std::uint16_t> found) const
{
    // In steps: of many values at a time the buckets are a few instructions.
    constexpr std::size_t kStep = 64;
    const Value low = m_low, perUnit = m_perUnit;
    const std::uint16_t *const starts = m_starts.data();
    const Value *const limits = m_limits.data();
    std::array<std::int32_t, kStep> buckets{};
    std::array<Value, kStep> values{};
    for (std::size_t at = 0; at < asked.size(); at += kStep) {
        const std::size_t count = std::min(kStep, asked.size() - at);
        std::copy_n(asked.data() + at, count, values.begin());
        for (std::size_t i = 0; i < kStep; ++i)
            buckets[i] = bucketOf(values[i], low, perUnit);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t start = starts[buckets[i]];
            std::size_t below = start; // without branches that are mispredicted
            for (std::size_t j = 0; j < Most; ++j)
                below += limits[start + j] < values[i] ? 1U : 0U;
            found[at + i] = static_cast<std::uint16_t>(below);
        }
    }
}

template <class Value>
void LimitIndex<Value>::find(std::span<const Value> asked, std::span<std::uint16_t> found) const
{
    if (m_most <= 2)
        findOf<2>(asked, found);
    else if (m_most <= 4)
        findOf<4>(asked, found);
    else
        findOf<kMostInBucket>(asked, found);
}

template class LimitIndex<double>;
template class LimitIndex<float>;

} // namespace kernscope::codec
