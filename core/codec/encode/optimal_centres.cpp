// SPDX-License-Identifier: GPL-3.0-or-later
// Codebooks of single values: the clustering of least squared error, by dynamic programming.
#include "core/codec/encode/kmeans.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace kernscope::codec {

namespace {

/// Squared error of a run of values around their mean, from running sums.
class RunCost
{
public:
    explicit RunCost(std::span<const MassedValue> values)
        : m_count(values.size() + 1), m_sum(values.size() + 1), m_square(values.size() + 1)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double count = values[i].mass;
            const auto value = static_cast<double>(values[i].value);
            m_count[i + 1] = m_count[i] + count;
            m_sum[i + 1] = m_sum[i] + count * value;
            m_square[i + 1] = m_square[i] + count * value * value;
        }
    }

    double operator()(std::size_t first, std::size_t end) const
    {
        const double count = m_count[end] - m_count[first];
        const double sum = m_sum[end] - m_sum[first];
        return std::max(0.0, m_square[end] - m_square[first] - sum * sum / count);
    }

    double mass(std::size_t first, std::size_t end) const { return m_count[end] - m_count[first]; }

    double middle(std::size_t first, std::size_t end) const
    {
        return (m_sum[end] - m_sum[first]) / mass(first, end);
    }

    float mean(std::size_t first, std::size_t end) const
    {
        return static_cast<float>(middle(first, end));
    }

private:
    std::vector<double> m_count;
    std::vector<double> m_sum;
    std::vector<double> m_square;
};

/// The same where values of very different size meet: running sums of large squares swallow those
/// of the small, so that the sums are kept in two parts, and the difference is taken with them.
class PreciseRunCost
{
public:
    explicit PreciseRunCost(std::span<const MassedValue> values)
        : m_count(values.size() + 1), m_sum(values.size() + 1), m_square(values.size() + 1)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double count = values[i].mass;
            const auto value = static_cast<double>(values[i].value);
            m_count[i + 1] = m_count[i] + count;
            m_sum[i + 1] = m_sum[i].plus(count * value);
            m_square[i + 1] = m_square[i].plus(count * (value * value));
        }
    }

    double operator()(std::size_t first, std::size_t end) const
    {
        const double count = m_count[end] - m_count[first];
        const double sum = m_sum[end].minus(m_sum[first]);
        const double middle = sum / count;
        const double rest = std::fma(-middle, count, sum);
        const double product = sum * middle;
        const double lost = std::fma(sum, middle, -product);
        const double square = m_square[end].minus(m_square[first]);
        return std::max(0.0, square - product - lost - middle * rest);
    }

    double mass(std::size_t first, std::size_t end) const { return m_count[end] - m_count[first]; }

    double middle(std::size_t first, std::size_t end) const
    {
        return m_sum[end].minus(m_sum[first]) / mass(first, end);
    }

    float mean(std::size_t first, std::size_t end) const
    {
        return static_cast<float>(middle(first, end));
    }

private:
    struct Sum {
        double high = 0, low = 0;

        Sum plus(double value) const
        {
            const double sum = high + value;
            const double other = sum - high;
            const double lost = (high - (sum - other)) + (value - other);
            return {sum, low + lost};
        }
        double minus(Sum before) const { return (high - before.high) + (low - before.low); }
    };

    std::vector<double> m_count;
    std::vector<Sum> m_sum;
    std::vector<Sum> m_square;
};

/// One row of the dynamic programme: best[end] = least cost of the first `end` values in one
/// cluster more than `before`, by divide and conquer (the best split never moves back).
template <class Cost>
class Row
{
public:
    Row(const Cost &cost, const std::vector<double> &before, std::vector<double> &best,
        std::vector<std::uint32_t> &split)
        : m_cost(cost), m_before(before), m_best(best), m_split(split)
    {
    }

    void fill(std::size_t firstEnd, std::size_t lastEnd, std::size_t firstSplit,
              std::size_t lastSplit)
    {
        if (firstEnd > lastEnd)
            return;
        const std::size_t end = firstEnd + (lastEnd - firstEnd) / 2;
        double least = std::numeric_limits<double>::infinity();
        std::size_t where = firstSplit;
        for (std::size_t s = firstSplit; s <= std::min(lastSplit, end - 1); ++s) {
            const double cost = m_before[s] + m_cost(s, end);
            if (cost < least) {
                least = cost;
                where = s;
            }
        }
        m_best[end] = least;
        m_split[end] = static_cast<std::uint32_t>(where);
        if (end > firstEnd)
            fill(firstEnd, end - 1, firstSplit, where);
        fill(end + 1, lastEnd, where, lastSplit);
    }

private:
    const Cost &m_cost;
    const std::vector<double> &m_before;
    std::vector<double> &m_best;
    std::vector<std::uint32_t> &m_split;
};

/// The squared error around the mean.
template <class Cost>
using PlainCost = Cost;

/// The nearest fp16 number to one that is within their range, ties to even.
double nearestHalf(double value)
{
    // Adding 1.5 * 2^42 times the number's power of two leaves 10 bits behind its leading one;
    // subnormal numbers of fp16 have the last place of 2^-14.
    constexpr std::uint64_t kExponent = std::uint64_t{0x7ff} << 52;
    constexpr std::uint64_t kSmallest = std::uint64_t{1023 - 14} << 52;
    const std::uint64_t power =
        std::max(std::bit_cast<std::uint64_t>(value) & kExponent, kSmallest);
    const auto rounder =
        std::bit_cast<double>(power + (std::uint64_t{42} << 52) + (std::uint64_t{1} << 51));
    return (value + rounder) - rounder;
}

/// The squared error around the fp16 number that is nearest to the mean: no fp16 number has less.
/// The best split still never moves back: of two centres, values beyond the mean of one of them
/// are nearer to that one.
template <class Cost>
class HalfCost
{
public:
    explicit HalfCost(std::span<const MassedValue> values) : m_cost(values) {}

    double operator()(std::size_t first, std::size_t end) const
    {
        const double middle = m_cost.middle(first, end);
        const double off = nearestHalf(middle) - middle;
        return m_cost(first, end) + m_cost.mass(first, end) * off * off;
    }

    float mean(std::size_t first, std::size_t end) const
    {
        return static_cast<float>(nearestHalf(m_cost.middle(first, end)));
    }

private:
    Cost m_cost;
};

/// The centres, and in `least` their squared error.
template <class Cost>
std::vector<float> programme(const Cost &cost, std::size_t count, std::size_t clusters,
                             double &least)
{
    std::vector<double> before(count + 1);
    std::vector<double> best(count + 1);
    for (std::size_t end = 1; end <= count; ++end)
        before[end] = cost(0, end);
    std::vector<std::vector<std::uint32_t>> splits(clusters);
    for (std::size_t c = 1; c < clusters; ++c) {
        splits[c].resize(count + 1);
        // c + 1 clusters need as many values, and leave enough for those to come.
        Row(cost, before, best, splits[c]).fill(c + 1, count, c, count - 1);
        std::swap(before, best);
    }
    least = before[count];
    std::vector<float> centres(clusters);
    std::size_t end = count;
    for (std::size_t c = clusters; c-- > 0;) {
        const std::size_t first = c == 0 ? 0 : splits[c][end];
        centres[c] = cost.mean(first, end);
        end = first;
    }
    return centres;
}

/// The programme with running sums, and again with precise ones where those may have lost too much.
template <template <class> class Around>
std::vector<float> bestCentres(std::span<const MassedValue> values, std::size_t clusters)
{
    if (values.size() <= clusters) {
        std::vector<float> centres;
        for (const MassedValue &value : values)
            centres.push_back(value.value);
        return centres;
    }
    double least = 0;
    const auto centres = programme(Around<RunCost>(values), values.size(), clusters, least);
    double squares = 0;
    for (const MassedValue &value : values)
        squares += value.mass * static_cast<double>(value.value) * static_cast<double>(value.value);
    // What rounding may have taken from the running sums must be nothing beside the error.
    constexpr double kLost = 0x1p-52;
    constexpr double kNothing = 1e-9;
    if (squares * kLost <= least * kNothing)
        return centres;
    return programme(Around<PreciseRunCost>(values), values.size(), clusters, least);
}

} // namespace

std::vector<float> optimalCentres(std::span<const WeightedValue> values, std::size_t clusters)
{
    std::vector<MassedValue> masses;
    masses.reserve(values.size());
    for (const WeightedValue &value : values)
        masses.push_back({value.value, static_cast<double>(value.count)});
    return bestCentres<PlainCost>(masses, clusters);
}

std::vector<float> optimalHalfCentres(std::span<const MassedValue> values, std::size_t clusters)
{
    return bestCentres<HalfCost>(values, clusters);
}

} // namespace kernscope::codec
