// SPDX-License-Identifier: GPL-3.0-or-later
// Codebooks of single values: the clustering of least squared error.
//
// Each cluster costs its error and a price. The cheapest clustering for a price takes
// O(n log n) steps, because the errors of runs have the Monge property: of two splits, the later
// one becomes the better one at some end and stays so. The least error by number of clusters is
// convex; each price touches it at one of its corners, so that a search over prices finds the
// wanted number, or the two corners of the straight piece on which it lies. Two clusterings that
// cost the same are then joined into one of the wanted size. Rows of a dynamic programme take
// thirty times as long for 256 entries.
#include "core/codec/encode/kmeans.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace kernscope::codec {

namespace {

/// Which number stands for a run of values: their mean, or the fp16 number nearest to it.
enum class RunCentre : std::uint8_t { Mean, Half };

/// The fp16 number nearest to a double within their range, ties to even.
double toNearestHalf(double value)
{
    constexpr std::uint64_t kExponent = std::uint64_t{0x7ff} << 52;
    // 1.5 * 2^42 times the number's power of two leaves 10 bits behind its leading one; subnormal
    // numbers have the last place of 2^-14.
    const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & kExponent);
    const double rounder = std::max(power, 0x1p-14) * 0x1.8p42;
    return (value + rounder) - rounder;
}

/// A sum in two parts, the second one what rounding took from the first: a large value must not
/// swallow the small ones that are added to it.
struct TwoPartSum {
    double high = 0, low = 0;

    void add(double value)
    {
        const double sum = high + value;
        const double other = sum - high;
        low += (high - (sum - other)) + (value - other);
        high = sum;
    }
    double minus(const TwoPartSum &other) const { return (high - other.high) + (low - other.low); }
};

/// Sums over the first values: of their masses, of mass x value, of mass x value².
struct SumsAt {
    double mass = 0;
    TwoPartSum sum, square;
};

/// A clustering: 0, the splits, the number of values.
using Bounds = std::vector<std::uint32_t>;

template <RunCentre Centre>
class CentreSearch
{
public:
    explicit CentreSearch(std::span<const MassedValue> values)
        : m_count(values.size()), m_sums(m_count + 1), m_cost(m_count + 1), m_split(m_count + 1)
    {
        for (std::size_t i = 0; i < m_count; ++i) {
            const auto value = static_cast<double>(values[i].value);
            m_sums[i + 1] = m_sums[i];
            m_sums[i + 1].mass += values[i].mass;
            m_sums[i + 1].sum.add(values[i].mass * value);
            m_sums[i + 1].square.add(values[i].mass * (value * value));
        }
    }

    /// `clusters`: less than there are values.
    std::vector<float> centres(std::size_t clusters)
    {
        const Bounds bounds = best(clusters);
        std::vector<float> centres(clusters);
        for (std::size_t c = 0; c < clusters; ++c)
            centres[c] = static_cast<float>(centre(bounds[c], bounds[c + 1]));
        return centres;
    }

private:
    /// A clustering that is the cheapest one for some price.
    struct Corner {
        Bounds bounds;
        double error = 0;
        std::size_t clusters() const { return bounds.size() - 1; }
    };

    double centre(std::size_t first, std::size_t end) const
    {
        const SumsAt &from = m_sums[first], &to = m_sums[end];
        const double mean = to.sum.minus(from.sum) / (to.mass - from.mass);
        return Centre == RunCentre::Half ? toNearestHalf(mean) : mean;
    }

    /// Squared error of values [first, end) around their centre.
    double error(std::size_t first, std::size_t end) const
    {
        if (end - first == 1)
            return 0;
        const SumsAt &from = m_sums[first], &to = m_sums[end];
        const double mass = to.mass - from.mass, sum = to.sum.minus(from.sum);
        const double mean = sum / mass;
        const double error = std::max(0.0, to.square.minus(from.square) - sum * mean);
        if constexpr (Centre == RunCentre::Mean)
            return error;
        const double off = toNearestHalf(mean) - mean;
        return error + mass * off * off;
    }

    double errorOf(const Bounds &bounds) const
    {
        double sum = 0;
        for (std::size_t c = 0; c + 1 < bounds.size(); ++c)
            sum += error(bounds[c], bounds[c + 1]);
        return sum;
    }

    Bounds best(std::size_t clusters)
    {
        constexpr int kGuesses = 8;
        Corner few{{0, static_cast<std::uint32_t>(m_count)}, error(0, m_count)};
        Corner many{Bounds(m_count + 1), 0};
        for (std::size_t i = 0; i <= m_count; ++i)
            many.bounds[i] = static_cast<std::uint32_t>(i);
        // Errors fall about with the square of the number of clusters, prices with its cube.
        const auto wanted = static_cast<double>(clusters);
        double guess = 2 * few.error / (wanted * wanted * wanted);
        double dearest = HUGE_VAL, cheapest = 0; // prices of `few` and `many`
        for (int tried = 0; few.clusters() != clusters && many.clusters() != clusters; ++tried) {
            const double even =
                (few.error - many.error) / static_cast<double>(many.clusters() - few.clusters());
            const bool guesses = tried < kGuesses && guess > cheapest && guess < dearest;
            const double price = guesses ? guess : even;
            Corner found{cheapestBounds(price), 0};
            found.error = errorOf(found.bounds);
            const std::size_t number = found.clusters();
            guess = price * std::pow(static_cast<double>(number) / wanted, 3);
            if (number > few.clusters() && number < many.clusters()) {
                (number <= clusters ? dearest : cheapest) = price;
                (number <= clusters ? few : many) = std::move(found);
            } else if (!guesses) { // no corner between the two
                return joined(few.bounds, many.bounds, clusters);
            }
        }
        return few.clusters() == clusters ? few.bounds : many.bounds;
    }

    /// The cheapest clustering where each cluster costs its error and `price`.
    Bounds cheapestBounds(double price)
    {
        /// A split that is the best one from some end on.
        struct Lead {
            std::uint32_t split = 0, from = 0;
        };
        std::vector<Lead> leads{{0, 1}};
        const auto cost = [&](std::size_t split, std::size_t end) {
            return m_cost[split] + error(split, end) + price;
        };
        std::size_t head = 0; // the lead of the current end
        for (std::size_t end = 1; end <= m_count; ++end) {
            while (head + 1 < leads.size() && leads[head + 1].from <= end)
                ++head;
            m_split[end] = leads[head].split;
            m_cost[end] = cost(m_split[end], end);
            // The split at `end` takes the lead from some end on, or never.
            std::size_t from = m_count + 1;
            while (leads.size() > head) {
                const Lead last = leads.back();
                const std::size_t start = std::max<std::size_t>(last.from, end + 1);
                if (start > m_count || cost(end, start) >= cost(last.split, start)) {
                    from = firstBetter(cost, end, last.split, start, from);
                    break;
                }
                from = start;
                leads.pop_back();
            }
            if (from <= m_count)
                leads.push_back(
                    {static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(from)});
            head = std::min(head, leads.size() - 1);
        }
        Bounds bounds{static_cast<std::uint32_t>(m_count)};
        while (bounds.back() > 0)
            bounds.push_back(m_split[bounds.back()]);
        std::ranges::reverse(bounds);
        return bounds;
    }

    /// The first end behind `worse`, and at most `better`, from which on `split` is better than
    /// `than`; usually near.
    template <class Cost>
    static std::size_t firstBetter(const Cost &cost, std::size_t split, std::size_t than,
                                   std::size_t worse, std::size_t better)
    {
        for (std::size_t step = 1; worse + step < better; step *= 2) {
            if (cost(split, worse + step) < cost(than, worse + step))
                better = worse + step;
            else
                worse += step;
        }
        while (better - worse > 1) {
            const std::size_t middle = worse + (better - worse) / 2;
            (cost(split, middle) < cost(than, middle) ? better : worse) = middle;
        }
        return better;
    }

    /// Of two clusterings that cost the same, one of a number of clusters between theirs: it begins
    /// as `few` and goes on as `many` from the first place where a cluster of `few` covers the
    /// cluster of `many` that is then next. By the Monge property that costs no more.
    static Bounds joined(const Bounds &few, const Bounds &many, std::size_t clusters)
    {
        const std::size_t ahead = many.size() - 1 - clusters;
        std::size_t at = 0;
        while (few[at + 1] < many[at + 1 + ahead])
            ++at;
        Bounds bounds(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(at + 1));
        bounds.insert(bounds.end(), many.begin() + static_cast<std::ptrdiff_t>(at + 1 + ahead),
                      many.end());
        return bounds;
    }

    std::size_t m_count;
    std::vector<SumsAt> m_sums;
    std::vector<double> m_cost;         ///< by end: of the cheapest clustering up to it
    std::vector<std::uint32_t> m_split; ///< by end: where its last cluster begins
};

template <RunCentre Centre>
std::vector<float> centresOf(std::span<const MassedValue> values, std::size_t clusters)
{
    if (values.size() > clusters)
        return CentreSearch<Centre>(values).centres(clusters);
    std::vector<float> centres;
    for (const MassedValue &value : values)
        centres.push_back(value.value);
    return centres;
}

} // namespace

std::vector<float> optimalCentres(std::span<const MassedValue> values, std::size_t clusters)
{
    return centresOf<RunCentre::Mean>(values, clusters);
}

std::vector<float> optimalHalfCentres(std::span<const MassedValue> values, std::size_t clusters)
{
    return centresOf<RunCentre::Half>(values, clusters);
}

} // namespace kernscope::codec
