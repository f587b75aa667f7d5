// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernscope::codec {

namespace {

/// Squared error of a run of values around their mean, from running sums.
class RunCost
{
public:
    explicit RunCost(std::span<const WeightedValue> values)
        : m_count(values.size() + 1), m_sum(values.size() + 1), m_square(values.size() + 1)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto count = static_cast<double>(values[i].count);
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

    float mean(std::size_t first, std::size_t end) const
    {
        return static_cast<float>((m_sum[end] - m_sum[first]) / (m_count[end] - m_count[first]));
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
    explicit PreciseRunCost(std::span<const WeightedValue> values)
        : m_count(values.size() + 1), m_sum(values.size() + 1), m_square(values.size() + 1)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto count = static_cast<double>(values[i].count);
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

    float mean(std::size_t first, std::size_t end) const
    {
        return static_cast<float>(m_sum[end].minus(m_sum[first]) / (m_count[end] - m_count[first]));
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

/// Fixed sequence of pseudo-random numbers (SplitMix64).
class Random
{
public:
    /// In [0, 1).
    double next()
    {
        m_state += 0x9e3779b97f4a7c15u;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

private:
    std::uint64_t m_state = 0x6b65726e73636f70; // "kernscop"
};

double distance(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += d * d;
    }
    return sum;
}

std::vector<float> sample(std::span<const float> vectors, std::size_t vector)
{
    constexpr std::size_t kMost = 65536;
    const std::size_t count = vectors.size() / vector;
    const std::size_t step = count / kMost + (count % kMost != 0 ? 1 : 0);
    std::vector<float> picked;
    for (std::size_t i = 0; i < count; i += step) {
        const auto point = vectors.subspan(i * vector, vector);
        picked.insert(picked.end(), point.begin(), point.end());
    }
    return picked;
}

/// The first centres: each next one is drawn with a chance that grows with its distance.
std::vector<float> spreadCentres(std::span<const float> points, std::size_t vector,
                                 std::size_t clusters)
{
    Random random;
    const std::size_t count = points.size() / vector;
    const auto point = [&](std::size_t i) { return points.subspan(i * vector, vector); };
    std::vector<double> nearest(count, std::numeric_limits<double>::infinity());
    std::vector<float> centres;
    std::size_t next = 0;
    for (std::size_t c = 0; c < clusters; ++c) {
        centres.insert(centres.end(), point(next).begin(), point(next).end());
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) {
            nearest[i] = std::min(nearest[i], distance(point(i), point(next)));
            total += nearest[i];
        }
        double ticket = random.next() * total;
        next = 0;
        while (next + 1 < count && ticket >= nearest[next])
            ticket -= nearest[next++];
    }
    return centres;
}

/// Moves each centre to the mean of what it serves. False where nothing moved.
bool improve(std::vector<float> &centres, std::span<const float> points, std::size_t vector)
{
    const std::size_t clusters = centres.size() / vector;
    std::vector<double> sums(centres.size());
    std::vector<std::uint64_t> counts(clusters);
    std::vector<double> errors(points.size() / vector);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const auto point = points.subspan(i * vector, vector);
        const std::size_t c = nearestCentre(centres, point);
        errors[i] = distance(point, std::span<const float>(centres).subspan(c * vector, vector));
        ++counts[c];
        for (std::size_t v = 0; v < vector; ++v)
            sums[c * vector + v] += static_cast<double>(point[v]);
    }
    bool moved = false;
    for (std::size_t c = 0; c < clusters; ++c) {
        const auto worst = static_cast<std::size_t>(std::max_element(errors.begin(), errors.end()) -
                                                    errors.begin());
        if (counts[c] == 0 && errors[worst] == 0)
            continue;
        for (std::size_t v = 0; v < vector; ++v) {
            const float to =
                counts[c] == 0
                    ? points[worst * vector + v]
                    : static_cast<float>(sums[c * vector + v] / static_cast<double>(counts[c]));
            moved = moved || to != centres[c * vector + v];
            centres[c * vector + v] = to;
        }
        if (counts[c] == 0)
            errors[worst] = 0;
    }
    return moved;
}

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

} // namespace

std::vector<float> optimalCentres(std::span<const WeightedValue> values, std::size_t clusters)
{
    const std::size_t count = values.size();
    if (count <= clusters) {
        std::vector<float> centres;
        for (const WeightedValue &value : values)
            centres.push_back(value.value);
        return centres;
    }
    double least = 0;
    const auto centres = programme(RunCost(values), count, clusters, least);
    double squares = 0;
    for (const WeightedValue &value : values)
        squares += static_cast<double>(value.count) * static_cast<double>(value.value) *
                   static_cast<double>(value.value);
    // What rounding may have taken from the running sums must be nothing beside the error.
    constexpr double kLost = 0x1p-52;
    constexpr double kNothing = 1e-9;
    if (squares * kLost <= least * kNothing)
        return centres;
    return programme(PreciseRunCost(values), count, clusters, least);
}

std::size_t nearestCentre(std::span<const float> centres, std::span<const float> point)
{
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres.size() / point.size(); ++c) {
        const double d = distance(centres.subspan(c * point.size(), point.size()), point);
        if (d < least) {
            least = d;
            nearest = c;
        }
    }
    return nearest;
}

std::vector<float> vectorCentres(std::span<const float> vectors, std::size_t vector,
                                 std::size_t clusters)
{
    constexpr int kMostRounds = 25;
    const std::vector<float> points = sample(vectors, vector);
    std::vector<float> centres = spreadCentres(points, vector, clusters);
    for (int round = 0; round < kMostRounds && improve(centres, points, vector); ++round) {
    }
    return centres;
}

} // namespace kernscope::codec
