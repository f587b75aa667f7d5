// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/nearest_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

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

NearestIndex::NearestIndex(std::span<const double> values, std::span<const std::int64_t> codes)
{
    if (values.size() < 2 || values.size() > std::numeric_limits<std::uint16_t>::max())
        return;
    const std::size_t count = values.size() - 1;
    m_limits = limitsOf(values, codes);
    m_low = m_limits.front();
    m_perUnit = static_cast<double>(kBuckets) / (m_limits.back() - m_low);
    if (!std::isfinite(m_perUnit) || m_perUnit <= 0)
        return;
    std::vector<std::uint16_t> inBucket(kBuckets);
    for (const double limit : m_limits)
        ++inBucket[bucketOf(limit)];
    m_most = *std::max_element(inBucket.begin(), inBucket.end());
    if (m_most > kMostInBucket)
        return;
    m_starts.resize(kBuckets);
    for (std::size_t i = 1; i < kBuckets; ++i)
        m_starts[i] = static_cast<std::uint16_t>(m_starts[i - 1] + inBucket[i - 1]);
    m_limits.resize(count + kMostInBucket, std::numeric_limits<double>::infinity());
}

/// Of two values, the greater one is never in an earlier bucket, however the product is rounded:
/// limits in earlier buckets are below a value, those in later ones above it.
std::size_t NearestIndex::bucketOf(double value) const
{
    const double place = (value - m_low) * m_perUnit;
    const double inside = std::min(std::max(place, 0.0), static_cast<double>(kBuckets - 1));
    return static_cast<std::size_t>(static_cast<std::int32_t>(inside));
}

template <std::size_t Most>
void NearestIndex::findOf(std::span<const double> asked, std::span<std::uint16_t> found) const
{
    // In steps: of many values at a time the buckets are a few instructions.
    constexpr std::size_t kStep = 64;
    const double low = m_low, perUnit = m_perUnit;
    const std::uint16_t *const starts = m_starts.data();
    const double *const limits = m_limits.data();
    std::array<std::int32_t, kStep> buckets{};
    for (std::size_t at = 0; at < asked.size(); at += kStep) {
        std::array<double, kStep> values{};
        const std::size_t count = std::min(kStep, asked.size() - at);
        std::copy_n(asked.begin() + static_cast<std::ptrdiff_t>(at), count, values.begin());
        for (std::size_t i = 0; i < kStep; ++i) {
            const double place = (values[i] - low) * perUnit;
            const double above = place > 0.0 ? place : 0.0;
            constexpr auto kLast = static_cast<double>(kBuckets - 1);
            buckets[i] = static_cast<std::int32_t>(above < kLast ? above : kLast);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t start = starts[buckets[i]];
            std::size_t below = start; // without branches that nobody could foresee
            for (std::size_t j = 0; j < Most; ++j)
                below += limits[start + j] < values[i] ? 1U : 0U;
            found[at + i] = static_cast<std::uint16_t>(below);
        }
    }
}

void NearestIndex::find(std::span<const double> asked, std::span<std::uint16_t> found) const
{
    if (m_most <= 2)
        findOf<2>(asked, found);
    else if (m_most <= 4)
        findOf<4>(asked, found);
    else
        findOf<kMostInBucket>(asked, found);
}

} // namespace kernscope::codec
