// SPDX-License-Identifier: GPL-3.0-or-later
// Codebooks of single values: the clustering of least squared error, by dynamic programming.
#include "core/codec/encode/optimal_centres.h"

#include "core/codec/encode/priced_splits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace kernscope::codec {

namespace {

/// A sum in two parts, the second one what rounding took from the first.
struct TwoPartSum {
    double high = 0, low = 0;

    void add(double value)
    {
        const double sum = high + value;
        const double other = sum - high;
        low += (high - (sum - other)) + (value - other);
        high = sum;
    }
};

} // namespace

/// Running sums and the rows that were filled so far.
class OptimalCentres::Programme
{
public:
    Programme(std::span<const MassedValue> values, RunCentre centre, bool precise)
        : m_values(values), m_centre(centre), m_mass(values.size() + 1 + kSplitPadding),
          m_sum(m_mass.size()), m_square(m_mass.size())
    {
        if (precise)
            addPrecisely();
        else
            add();
        m_best.resize(m_mass.size());
        for (std::size_t end = 1; end <= values.size(); ++end)
            m_best[end] = runError(sums(), centre, 0, end);
        m_splits.emplace_back(values.size() + 1);
        m_least.push_back(m_best[m_values.size()]);
    }

    /// Least error in that many clusters, at most as many as there are values.
    double least(std::size_t clusters)
    {
        if (const PricedSplits *known = leapTo(clusters))
            return known->error;
        while (m_least.size() < clusters)
            fillNext();
        return m_least[clusters - 1];
    }

    std::vector<float> centres(std::size_t clusters)
    {
        std::vector<float> centres(clusters);
        if (const PricedSplits *known = leapTo(clusters)) {
            for (std::size_t c = 0; c < clusters; ++c)
                centres[c] = centreOf(known->bounds[c], known->bounds[c + 1]);
            return centres;
        }
        least(clusters);
        std::size_t end = m_values.size();
        for (std::size_t c = clusters; c-- > 0;) {
            const std::size_t first = m_splits[c][end];
            centres[c] = centreOf(first, end);
            end = first;
        }
        return centres;
    }

    std::size_t bytes() const
    {
        return m_splits.size() * m_splits.front().size() * sizeof(std::uint32_t) +
               7 * m_best.size() * sizeof(double);
    }

private:
    float centreOf(std::size_t first, std::size_t end) const
    {
        return static_cast<float>(runCentre(sums(), m_centre, first, end));
    }

    /// The clustering, where it is found quicker than by the rows that are still to be filled;
    /// null: by the rows. Measured: a leap takes as long as some forty rows.
    const PricedSplits *leapTo(std::size_t clusters)
    {
        constexpr std::size_t kRowsWorth = 64;
        if (m_least.size() + kRowsWorth > clusters || !m_sumRest.empty() ||
            m_values.size() < 3 * clusters)
            return nullptr;
        auto known = m_leaps.find(clusters);
        if (known == m_leaps.end())
            known = m_leaps
                        .emplace(clusters, pricedSplits({.sums = sums(),
                                                         .centre = m_centre,
                                                         .count = m_values.size(),
                                                         .clusters = clusters,
                                                         .squares = m_square[m_values.size()],
                                                         .knownError = m_least.back(),
                                                         .knownClusters = m_least.size()}))
                        .first;
        return known->second ? &*known->second : nullptr;
    }

    RunningSums sums() const
    {
        const auto orNull = [](const std::vector<double> &rest) {
            return rest.empty() ? nullptr : rest.data();
        };
        return {m_mass.data(), m_sum.data(), m_square.data(), orNull(m_sumRest),
                orNull(m_squareRest)};
    }

    void add()
    {
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            const double mass = m_values[i].mass;
            const auto value = static_cast<double>(m_values[i].value);
            m_mass[i + 1] = m_mass[i] + mass;
            m_sum[i + 1] = m_sum[i] + mass * value;
            m_square[i + 1] = m_square[i] + mass * value * value;
        }
    }

    void addPrecisely()
    {
        m_sumRest.resize(m_mass.size());
        m_squareRest.resize(m_mass.size());
        TwoPartSum sum, square;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            const double mass = m_values[i].mass;
            const auto value = static_cast<double>(m_values[i].value);
            sum.add(mass * value);
            square.add(mass * (value * value));
            m_mass[i + 1] = m_mass[i] + mass;
            m_sum[i + 1] = sum.high;
            m_sumRest[i + 1] = sum.low;
            m_square[i + 1] = square.high;
            m_squareRest[i + 1] = square.low;
        }
    }

    void fillNext()
    {
        // Measured: from about eight splits an end on, halving the ends is quicker.
        constexpr double kNear = 8;
        m_before.swap(m_best);
        m_best.resize(m_before.size());
        std::vector<std::uint32_t> splits(m_values.size() + 1);
        SplitRow row;
        row.sums = sums();
        row.count = m_values.size();
        row.clusters = m_least.size() + 1;
        row.before = m_before.data();
        row.least = m_splits.back().data();
        row.best = m_best.data();
        row.split = splits.data();
        m_behind = fillSplits(row, m_centre, m_behind < kNear);
        m_splits.push_back(std::move(splits));
        m_least.push_back(m_best[m_values.size()]);
    }

    std::span<const MassedValue> m_values;
    RunCentre m_centre;
    std::vector<double> m_mass, m_sum, m_square, m_sumRest, m_squareRest;
    std::vector<double> m_before, m_best;             ///< errors of the last two rows, by end
    std::vector<std::vector<std::uint32_t>> m_splits; ///< by clusters - 1, then end
    std::vector<double> m_least;                      ///< of all values, by clusters - 1
    std::map<std::size_t, std::optional<PricedSplits>> m_leaps; ///< by clusters
    double m_behind = HUGE_VAL; ///< how far the last row's splits lie behind those before
};

OptimalCentres::OptimalCentres(std::vector<MassedValue> values, RunCentre centre)
    : m_values(std::move(values)), m_centre(centre)
{
    for (const MassedValue &value : m_values)
        m_squares +=
            value.mass * static_cast<double>(value.value) * static_cast<double>(value.value);
}

OptimalCentres::~OptimalCentres() = default;

OptimalCentres::Programme &OptimalCentres::programme(bool precise)
{
    auto &programme = precise ? m_precise : m_plain;
    if (!programme)
        programme = std::make_unique<Programme>(m_values, m_centre, precise);
    return *programme;
}

std::vector<float> OptimalCentres::of(std::size_t clusters)
{
    if (m_values.size() <= clusters) {
        std::vector<float> centres;
        for (const MassedValue &value : m_values)
            centres.push_back(value.value);
        return centres;
    }
    // What rounding may have taken from the running sums must be nothing beside the error.
    constexpr double kLost = 0x1p-52;
    constexpr double kNothing = 1e-9;
    const bool sound = m_squares * kLost <= programme(false).least(clusters) * kNothing;
    return programme(!sound).centres(clusters);
}

std::size_t OptimalCentres::bytes() const
{
    return m_values.size() * sizeof(MassedValue) + (m_plain ? m_plain->bytes() : 0) +
           (m_precise ? m_precise->bytes() : 0);
}

std::vector<MassedValue> countedMasses(std::span<const WeightedValue> values)
{
    std::vector<MassedValue> masses;
    masses.reserve(values.size());
    for (const WeightedValue &value : values)
        masses.push_back({value.value, static_cast<double>(value.count)});
    return masses;
}

std::vector<float> optimalCentres(std::span<const WeightedValue> values, std::size_t clusters)
{
    return OptimalCentres(countedMasses(values), RunCentre::Mean).of(clusters);
}

std::vector<float> optimalHalfCentres(std::span<const MassedValue> values, std::size_t clusters)
{
    return OptimalCentres({values.begin(), values.end()}, RunCentre::Half).of(clusters);
}

} // namespace kernscope::codec
