// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"

#include "core/codec/kernels/encode_kernels.h"

#include <algorithm>
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

std::vector<float> sample(std::span<const float> vectors, std::size_t vector)
{
    constexpr std::size_t kMost = 65536;
    const std::size_t count = vectors.size() / vector;
    const std::size_t step = count / kMost + (count % kMost != 0 ? 1 : 0);
    std::vector<float> picked;
    picked.reserve(step == 0 ? 0 : (count + step - 1) / step * vector);
    for (std::size_t i = 0; i < count; i += step) {
        const auto point = vectors.subspan(i * vector, vector);
        picked.insert(picked.end(), point.begin(), point.end());
    }
    return picked;
}

/// Vectors, each of whose values may have a mass, and Lloyd's rounds over them.
class Clustering
{
public:
    Clustering(std::span<const float> vectors, std::span<const float> masses, std::size_t vector)
        : m_vector(vector), m_points(sample(vectors, vector)), m_masses(sample(masses, vector)),
          m_columns(m_points, m_masses, vector), m_nearest(m_columns.padded()),
          m_distances(m_columns.padded())
    {
    }

    /// The first centres: each next one is drawn with a chance that grows with its distance.
    std::vector<float> spread(std::size_t clusters)
    {
        Random random;
        const std::size_t count = m_columns.count();
        std::ranges::fill(m_distances, std::numeric_limits<double>::infinity());
        std::vector<float> centres;
        std::size_t next = 0;
        for (std::size_t c = 0; c < clusters; ++c) {
            const auto centre = std::span<const float>(m_points).subspan(next * m_vector, m_vector);
            centres.insert(centres.end(), centre.begin(), centre.end());
            lowerDistances(m_columns, centre, m_distances);
            double total = 0;
            for (std::size_t i = 0; i < count; ++i)
                total += m_distances[i];
            if (total ==
                0) { // each point with a mass is a centre: the others lie at the last point
                const auto last = std::span<const float>(m_points).last(m_vector);
                while (centres.size() < clusters * m_vector)
                    centres.insert(centres.end(), last.begin(), last.end());
                break;
            }
            double ticket = random.next() * total;
            next = 0;
            while (next + 1 < count && ticket >= m_distances[next])
                ticket -= m_distances[next++];
        }
        return centres;
    }

    /// Moves each centre to the mean of what it serves. False where nothing moved.
    bool improve(std::vector<float> &centres)
    {
        nearestCentres(m_columns, centres, m_nearest, m_distances);
        sumServed(centres.size());
        bool moved = false;
        m_allServed = false;
        for (std::size_t c = 0; c < m_served.size(); ++c)
            moved = (m_served[c] == 0 ? moveToWorst(centres, c) : moveToMean(centres, c)) || moved;
        return moved;
    }

private:
    /// Sums, masses and numbers of what each centre serves.
    void sumServed(std::size_t values)
    {
        m_sums.assign(values, 0);
        m_totals.assign(values, 0);
        m_served.assign(values / m_vector, 0);
        for (std::size_t i = 0; i < m_columns.count(); ++i) {
            const std::size_t c = m_nearest[i];
            ++m_served[c];
            for (std::size_t v = 0; v < m_vector; ++v) {
                const std::size_t at = i * m_vector + v;
                const double mass = m_masses.empty() ? 1.0 : static_cast<double>(m_masses[at]);
                m_sums[c * m_vector + v] += mass * static_cast<double>(m_points[at]);
                m_totals[c * m_vector + v] += mass;
            }
        }
    }

    bool moveToMean(std::vector<float> &centres, std::size_t c)
    {
        bool moved = false;
        for (std::size_t v = c * m_vector; v < (c + 1) * m_vector; ++v) {
            // What has no mass does not say where its centre is to lie.
            const float to =
                m_totals[v] > 0 ? static_cast<float>(m_sums[v] / m_totals[v]) : centres[v];
            moved = moved || to != centres[v];
            centres[v] = to;
        }
        return moved;
    }

    /// A centre that serves nothing: to what is worst served.
    bool moveToWorst(std::vector<float> &centres, std::size_t c)
    {
        if (m_allServed) // of 256 centres over 32 points most serve nothing
            return false;
        const auto last = m_distances.begin() + static_cast<std::ptrdiff_t>(m_columns.count());
        const auto at = std::max_element(m_distances.begin(), last);
        m_allServed = at == last || *at == 0;
        if (m_allServed)
            return false;
        const auto worst = static_cast<std::size_t>(at - m_distances.begin());
        *at = 0;
        bool moved = false;
        for (std::size_t v = 0; v < m_vector; ++v) {
            const float to = m_points[worst * m_vector + v];
            moved = moved || to != centres[c * m_vector + v];
            centres[c * m_vector + v] = to;
        }
        return moved;
    }

    std::size_t m_vector;
    std::vector<float> m_points;
    std::vector<float> m_masses;
    PointColumns m_columns;
    std::vector<std::uint32_t> m_nearest;
    std::vector<double> m_distances; ///< to the nearest centre
    std::vector<double> m_sums, m_totals;
    std::vector<std::uint64_t> m_served;
    bool m_allServed = false; ///< in this round: every point lies on its centre
};

constexpr int kMostRounds = 25;

} // namespace

std::vector<float> massedVectorCentres(std::span<const float> vectors,
                                       std::span<const float> masses, std::size_t vector,
                                       std::size_t clusters, std::vector<float> first)
{
    Clustering points(vectors, masses, vector);
    std::vector<float> centres = first.empty() ? points.spread(clusters) : std::move(first);
    for (int round = 0; round < kMostRounds && points.improve(centres); ++round) {
    }
    return centres;
}

std::vector<float> vectorCentres(std::span<const float> vectors, std::size_t vector,
                                 std::size_t clusters)
{
    return massedVectorCentres(vectors, {}, vector, clusters, {});
}

} // namespace kernscope::codec
