// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/kmeans.h"

#include "core/codec/kernels/centre_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
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
        if (m_sorted)
            findAgain(centres);
        else
            nearestCentres(m_columns, centres, m_nearest, m_distances);
        if (!m_sorted && worthSorting(centres.size() / m_vector))
            sortPoints();
        sumServed(centres.size());
        bool moved = false;
        m_moved = 0;
        m_allServed = false;
        for (std::size_t c = 0; c < m_served.size(); ++c)
            moved = (m_served[c] == 0 ? moveToWorst(centres, c) : moveToMean(centres, c)) || moved;
        return moved;
    }

private:
    /// Points in the order of their first values.
    struct Sorted {
        std::vector<std::uint32_t> places; ///< of each point
        PointColumns columns;
        std::vector<std::uint32_t> nearest;
        std::vector<double> distances;
    };

    /// Measured: fewer centres are looked at as quickly as chosen from.
    bool worthSorting(std::size_t clusters) const
    {
        constexpr std::size_t kManyClusters = 48, kManyPoints = 512;
        return m_masses.empty() && m_vector > 1 && clusters >= kManyClusters &&
               m_columns.count() >= kManyPoints;
    }

    void sortPoints()
    {
        const std::size_t count = m_columns.count();
        std::vector<std::pair<float, std::uint32_t>> order(count);
        for (std::size_t i = 0; i < count; ++i)
            order[i] = {m_points[i * m_vector], static_cast<std::uint32_t>(i)};
        std::ranges::sort(order);
        std::vector<std::uint32_t> places(count);
        std::vector<float> points(m_points.size());
        std::vector<double> distances(m_columns.padded());
        for (std::size_t place = 0; place < count; ++place) {
            const std::size_t from = order[place].second;
            places[from] = static_cast<std::uint32_t>(place);
            distances[place] = m_distances[from];
            std::copy_n(m_points.begin() + static_cast<std::ptrdiff_t>(from * m_vector), m_vector,
                        points.begin() + static_cast<std::ptrdiff_t>(place * m_vector));
        }
        m_sorted.emplace(Sorted{std::move(places), PointColumns(points, {}, m_vector),
                                std::vector<std::uint32_t>(m_columns.padded()),
                                std::move(distances)});
    }

    void findAgain(const std::vector<float> &centres)
    {
        nearestAgain(m_sorted->columns, SortedCentres(centres, m_vector), m_moved,
                     m_sorted->nearest, m_sorted->distances);
        for (std::size_t i = 0; i < m_columns.count(); ++i) {
            m_nearest[i] = m_sorted->nearest[m_sorted->places[i]];
            m_distances[i] = m_sorted->distances[m_sorted->places[i]];
        }
    }

    /// Sums of what each centre serves, where all values count alike.
    template <std::size_t Vector>
    void sumPoints()
    {
        const float *point = m_points.data();
        for (std::size_t i = 0; i < m_columns.count(); ++i, point += Vector) {
            const std::size_t c = m_nearest[i];
            ++m_served[c];
            double *const sums = m_sums.data() + c * Vector;
            for (std::size_t v = 0; v < Vector; ++v)
                sums[v] += static_cast<double>(point[v]);
        }
    }

    /// Sums, masses and numbers of what each centre serves.
    void sumServed(std::size_t values)
    {
        m_sums.assign(values, 0);
        m_totals.assign(values, 0);
        m_served.assign(values / m_vector, 0);
        if (m_masses.empty() && (m_vector == 2 || m_vector == 4)) {
            m_vector == 2 ? sumPoints<2>() : sumPoints<4>();
            for (std::size_t i = 0; i < values; ++i)
                m_totals[i] = static_cast<double>(m_served[i / m_vector]);
            return;
        }
        for (std::size_t i = 0; i < m_columns.count(); ++i) {
            const std::size_t c = m_nearest[i];
            ++m_served[c];
            for (std::size_t v = 0; v < m_vector; ++v) {
                const auto value = static_cast<double>(m_points[i * m_vector + v]);
                if (m_masses.empty()) {
                    m_sums[c * m_vector + v] += value;
                    continue;
                }
                const auto mass = static_cast<double>(m_masses[i * m_vector + v]);
                m_sums[c * m_vector + v] += mass * value;
                m_totals[c * m_vector + v] += mass;
            }
        }
        for (std::size_t i = 0; m_masses.empty() && i < values; ++i)
            m_totals[i] = static_cast<double>(m_served[i / m_vector]);
    }

    bool moveToMean(std::vector<float> &centres, std::size_t c)
    {
        bool moved = false;
        double squares = 0;
        for (std::size_t v = c * m_vector; v < (c + 1) * m_vector; ++v) {
            // What has no mass does not say where its centre is to lie.
            const float to =
                m_totals[v] > 0 ? static_cast<float>(m_sums[v] / m_totals[v]) : centres[v];
            moved = moved || to != centres[v];
            const double off = static_cast<double>(to) - static_cast<double>(centres[v]);
            squares += off * off;
            centres[v] = to;
        }
        m_moved = std::max(m_moved, std::sqrt(squares));
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
    std::optional<Sorted> m_sorted; ///< after the first round
    /// How far any centre that serves something has moved in the last round.
    double m_moved = 0;
    bool m_allServed = false; ///< in this round: every point lies on its centre
};

constexpr int kMostRounds = 25;

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

} // namespace kernscope::codec
