// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kernscope::codec {

namespace {

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
    NearestCentre nearest(centres, vector);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const auto point = points.subspan(i * vector, vector);
        const std::size_t c = nearest.of(point);
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

} // namespace

namespace {

constexpr std::size_t kAtOnce = 8;

/// Adds the squared differences from one value to the distances; `first`: they begin with them.
void addSquares(std::span<const double> column, double value, double mass, bool first,
                std::span<double> distances)
{
    for (std::size_t at = 0; at < distances.size(); at += kAtOnce) {
        for (std::size_t lane = at; lane < at + kAtOnce; ++lane) {
            const double off = column[lane] - value;
            const double square = mass * off * off;
            distances[lane] = first ? square : distances[lane] + square;
        }
    }
}

} // namespace

NearestCentre::NearestCentre(std::span<const float> centres, std::size_t vector)
    : m_count(centres.size() / vector), m_padded((m_count + kAtOnce - 1) / kAtOnce * kAtOnce),
      m_columns(m_padded * vector), m_distances(m_padded)
{
    for (std::size_t i = 0; i < centres.size(); ++i)
        m_columns[i % vector * m_padded + i / vector] = static_cast<double>(centres[i]);
}

std::size_t NearestCentre::of(std::span<const float> point, std::span<const float> masses)
{
    const std::span<const double> columns(m_columns);
    for (std::size_t v = 0; v < point.size(); ++v)
        addSquares(columns.subspan(v * m_padded, m_padded), static_cast<double>(point[v]),
                   masses.empty() ? 1.0 : static_cast<double>(masses[v]), v == 0, m_distances);
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < m_count; ++c) {
        if (m_distances[c] < least) {
            least = m_distances[c];
            nearest = c;
        }
    }
    return nearest;
}

namespace {

double massedDistance(std::span<const float> a, std::span<const float> b,
                      std::span<const float> masses)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += static_cast<double>(masses[i]) * d * d;
    }
    return sum;
}

/// Vectors, each of whose values has a mass, and Lloyd's rounds over them.
class MassedVectors
{
public:
    MassedVectors(std::span<const float> vectors, std::span<const float> masses, std::size_t vector)
        : m_vector(vector), m_points(sample(vectors, vector)), m_masses(sample(masses, vector))
    {
    }

    std::vector<float> spread(std::size_t clusters) const
    {
        Random random;
        std::vector<double> nearest(count(), std::numeric_limits<double>::infinity());
        std::vector<float> centres;
        std::size_t next = 0;
        for (std::size_t c = 0; c < clusters; ++c) {
            const auto centre = of(m_points, next);
            centres.insert(centres.end(), centre.begin(), centre.end());
            double total = 0;
            for (std::size_t i = 0; i < count(); ++i) {
                nearest[i] =
                    std::min(nearest[i], massedDistance(of(m_points, i), centre, of(m_masses, i)));
                total += nearest[i];
            }
            double ticket = random.next() * total;
            next = 0;
            while (next + 1 < count() && ticket >= nearest[next])
                ticket -= nearest[next++];
        }
        return centres;
    }

    /// Moves each centre to the mean of what it serves. False where nothing moved.
    bool improve(std::vector<float> &centres) const
    {
        std::vector<double> sums(centres.size());
        std::vector<double> totals(centres.size());
        std::vector<double> errors(count());
        std::vector<std::uint64_t> served(centres.size() / m_vector);
        NearestCentre nearest(centres, m_vector);
        for (std::size_t i = 0; i < count(); ++i) {
            const auto point = of(m_points, i);
            const auto masses = of(m_masses, i);
            const std::size_t c = nearest.of(point, masses);
            errors[i] = massedDistance(point, of(centres, c), masses);
            ++served[c];
            for (std::size_t v = 0; v < m_vector; ++v) {
                const auto mass = static_cast<double>(masses[v]);
                sums[c * m_vector + v] += mass * static_cast<double>(point[v]);
                totals[c * m_vector + v] += mass;
            }
        }
        bool moved = false;
        for (std::size_t c = 0; c < served.size(); ++c) {
            const bool empty = served[c] == 0;
            const std::size_t worst =
                empty ? static_cast<std::size_t>(std::max_element(errors.begin(), errors.end()) -
                                                 errors.begin())
                      : 0;
            if (empty && errors[worst] == 0)
                continue;
            for (std::size_t v = c * m_vector; v < (c + 1) * m_vector; ++v) {
                // What has no mass does not say where its centre is to lie.
                const float to = empty           ? m_points[worst * m_vector + v % m_vector]
                                 : totals[v] > 0 ? static_cast<float>(sums[v] / totals[v])
                                                 : centres[v];
                moved = moved || to != centres[v];
                centres[v] = to;
            }
            if (empty)
                errors[worst] = 0;
        }
        return moved;
    }

private:
    std::size_t count() const { return m_points.size() / m_vector; }
    std::span<const float> of(std::span<const float> values, std::size_t i) const
    {
        return values.subspan(i * m_vector, m_vector);
    }

    std::size_t m_vector;
    std::vector<float> m_points;
    std::vector<float> m_masses;
};

constexpr int kMostRounds = 25;

} // namespace

std::vector<float> massedVectorCentres(std::span<const float> vectors,
                                       std::span<const float> masses, std::size_t vector,
                                       std::size_t clusters, std::vector<float> first)
{
    const MassedVectors points(vectors, masses, vector);
    std::vector<float> centres = first.empty() ? points.spread(clusters) : std::move(first);
    for (int round = 0; round < kMostRounds && points.improve(centres); ++round) {
    }
    return centres;
}

std::vector<float> vectorCentres(std::span<const float> vectors, std::size_t vector,
                                 std::size_t clusters)
{
    const std::vector<float> points = sample(vectors, vector);
    std::vector<float> centres = spreadCentres(points, vector, clusters);
    for (int round = 0; round < kMostRounds && improve(centres, points, vector); ++round) {
    }
    return centres;
}

} // namespace kernscope::codec
