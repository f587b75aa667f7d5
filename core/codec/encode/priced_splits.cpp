// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/encode/priced_splits.h"

#include "core/codec/kernels/run_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace kernscope::codec {

namespace {

/// Running sums at one place.
struct SumsAt {
    double mass = 0, sum = 0, square = 0;
};

/// Errors of runs of values. Backward: the values in reverse.
template <RunCentre Centre, bool Backward>
class RunErrors
{
public:
    explicit RunErrors(std::span<const SumsAt> sums) : m_sums(sums.data()), m_count(sums.size() - 1)
    {
    }

    std::size_t count() const { return m_count; }

    double operator()(std::size_t first, std::size_t end) const
    {
        const SumsAt &low = m_sums[Backward ? m_count - end : first];
        const SumsAt &high = m_sums[Backward ? m_count - first : end];
        return errorAround<Centre>(high.mass - low.mass, high.sum - low.sum,
                                   high.square - low.square);
    }

private:
    const SumsAt *m_sums;
    std::size_t m_count;
};

/// The cheapest clusterings of the first 1, 2, ... values, where a cluster costs its error and a
/// price.
template <class Errors>
class Cheapest
{
public:
    Cheapest(const Errors &errors, double price)
        : m_errors(errors), m_price(price), m_cost(errors.count() + 1), m_split(errors.count() + 1)
    {
        m_lead.push_back({0, 1});
        for (std::size_t end = 1; end <= errors.count(); ++end) {
            while (m_head + 1 < m_lead.size() && m_lead[m_head + 1].from <= end)
                ++m_head;
            m_split[end] = m_lead[m_head].split;
            m_cost[end] = costFrom(m_split[end], end);
            if (end < errors.count())
                offer(static_cast<std::uint32_t>(end));
        }
    }

    const std::vector<double> &costs() const { return m_cost; }

    std::size_t clusters() const
    {
        std::size_t number = 0;
        for (std::size_t end = m_errors.count(); end > 0; end = m_split[end])
            ++number;
        return number;
    }

private:
    /// The last split that is best from some end on: later splits take the lead one after the
    /// other, and none gets it back.
    struct Lead {
        std::uint32_t split = 0;
        std::uint32_t from = 0;
    };

    double costFrom(std::size_t split, std::size_t end) const
    {
        return m_cost[split] + m_errors(split, end) + m_price;
    }

    bool better(std::size_t split, std::size_t than, std::size_t end) const
    {
        return costFrom(split, end) < costFrom(than, end);
    }

    void offer(std::uint32_t split)
    {
        while (m_lead.size() > m_head) {
            const Lead last = m_lead.back();
            const std::size_t from = std::max<std::size_t>(last.from, split + 1);
            if (!better(split, last.split, from)) {
                if (const auto first = leadsFrom(split, last.split, from))
                    m_lead.push_back({split, *first});
                return;
            }
            m_lead.pop_back();
        }
        m_lead.push_back({split, split + 1});
    }

    /// The first end behind `worse` at which the split is better than another one; often near.
    std::optional<std::uint32_t> leadsFrom(std::size_t split, std::size_t than,
                                           std::size_t worse) const
    {
        const std::size_t count = m_errors.count();
        std::size_t step = 1;
        while (worse + step < count && !better(split, than, worse + step)) {
            worse += step;
            step *= 2;
        }
        std::size_t good = std::min(worse + step, count);
        if (good == worse || (good == count && !better(split, than, good)))
            return std::nullopt;
        while (good - worse > 1) {
            const std::size_t middle = worse + (good - worse) / 2;
            (better(split, than, middle) ? good : worse) = middle;
        }
        return static_cast<std::uint32_t>(good);
    }

    Errors m_errors;
    double m_price;
    std::vector<double> m_cost;
    std::vector<std::uint32_t> m_split;
    std::vector<Lead> m_lead;
    std::size_t m_head = 0; ///< the lead of the current end
};

/// The search for a price.
struct Bracket {
    /// A price, and the clustering that is cheapest by it.
    struct Side {
        double price = 0, error = 0;
        std::size_t clusters = 0;
    };
    std::optional<Side> few, many; ///< too few clusters, too many

    /// By which clusterings of both sides cost the same; empty where a side is missing.
    std::optional<double> evenPrice() const
    {
        if (!few || !many)
            return std::nullopt;
        return (few->error - many->error) / static_cast<double>(many->clusters - few->clusters);
    }

    /// Errors fall with the square of the number of clusters, their prices with its cube.
    double next(double price, std::size_t found, std::size_t wanted) const
    {
        const double guess =
            price * std::pow(static_cast<double>(found) / static_cast<double>(wanted), 3);
        const bool inside = (!few || guess < few->price) && (!many || guess > many->price);
        return inside ? guess : evenPrice().value_or(guess);
    }
};

template <RunCentre Centre>
class PricedSearch
{
public:
    explicit PricedSearch(const PricedProblem &problem)
        : m_problem(problem), m_sums(problem.count + 1),
          // Of a run of values rounding takes a few times 2^-53 of all squares; a clustering sums
          // up as many of these as it has clusters.
          m_slack(problem.squares * 0x1p-50 * static_cast<double>(problem.clusters))
    {
        const RunningSums &sums = problem.sums;
        for (std::size_t i = 0; i <= problem.count; ++i)
            m_sums[i] = {sums.mass[i], sums.sum[i], sums.square[i]};
    }

    std::optional<PricedSplits> find()
    {
        const double known = static_cast<double>(m_problem.knownClusters);
        const auto wanted = static_cast<double>(m_problem.clusters);
        double price = 2 * m_problem.knownError * known * known / (wanted * wanted * wanted);
        if (!(price > 0) || !std::isfinite(price))
            return std::nullopt;
        price = roughPrice(price);
        Bracket bracket;
        for (int tried = 0; tried < kMostPrices; ++tried) {
            const Forward before(ForwardErrors(m_sums), price);
            const std::size_t clusters = before.clusters();
            const double cost = before.costs().back();
            if (clusters == m_problem.clusters || isEven(bracket, price, cost))
                return among(before.costs(), price);
            const double error = cost - price * static_cast<double>(clusters);
            (clusters < m_problem.clusters ? bracket.few : bracket.many) = {price, error, clusters};
            const double next = bracket.next(price, clusters, m_problem.clusters);
            if (!(next > 0) || !std::isfinite(next) || next == price)
                return std::nullopt;
            price = next;
        }
        return std::nullopt;
    }

private:
    static constexpr int kMostPrices = 12;
    using ForwardErrors = RunErrors<Centre, false>;
    using Forward = Cheapest<ForwardErrors>;
    using Backward = Cheapest<RunErrors<Centre, true>>;

    /// A price by clusterings that split at some places only.
    double roughPrice(double price) const
    {
        constexpr std::size_t kPlaces = 8; ///< a cluster, about
        const std::size_t step = m_problem.count / (kPlaces * m_problem.clusters);
        if (step < 2)
            return price;
        std::vector<SumsAt> some;
        for (std::size_t i = 0; i < m_problem.count; i += step)
            some.push_back(m_sums[i]);
        some.push_back(m_sums.back());
        for (int tried = 0; tried < kMostPrices; ++tried) {
            const std::size_t found = Forward(ForwardErrors(some), price).clusters();
            price = Bracket().next(price, found, m_problem.clusters);
            if (std::max(found, m_problem.clusters) - std::min(found, m_problem.clusters) <=
                m_problem.clusters / 64)
                break;
        }
        return price;
    }

    /// Whether the clusterings of both sides are the cheapest ones by the price, and with them
    /// those of every number between: each cluster more then takes the same error away.
    bool isEven(const Bracket &bracket, double price, double cost) const
    {
        return bracket.few && bracket.many && price == bracket.evenPrice() &&
               cost >= bracket.few->error + price * static_cast<double>(bracket.few->clusters) -
                           m_slack;
    }

    /// A place where a best clustering may split, and the best clusterings up to it by number of
    /// clusters, from `fewest` on.
    struct Place {
        std::uint32_t end = 0;
        std::size_t fewest = 0;
        std::vector<double> error;
        std::vector<std::uint32_t> before; ///< number of the place that the last cluster begins at
    };

    std::optional<PricedSplits> among(const std::vector<double> &before, double price) const
    {
        const Backward mirrored(RunErrors<Centre, true>(m_sums), price);
        const std::vector<double> &behind = mirrored.costs();
        const double least = before.back();
        if (!(std::abs(behind.back() - least) <= m_slack))
            return std::nullopt;
        std::vector<Place> places;
        for (std::size_t end = 0; end <= m_problem.count; ++end) {
            if (!(before[end] + behind[m_problem.count - end] <= least + m_slack))
                continue;
            if (places.size() > kMostPlaces * m_problem.clusters)
                return std::nullopt;
            places.push_back({static_cast<std::uint32_t>(end), 0, {}, {}});
        }
        if (places.empty() || places.front().end != 0 || places.back().end != m_problem.count)
            return std::nullopt;
        places.front().error.push_back(0);
        places.front().before.push_back(0);
        for (std::size_t i = 1; i < places.size(); ++i)
            fill(places, i, before, price);
        return traced(places);
    }

    static constexpr std::size_t kMostPlaces = 4; ///< a cluster

    /// From each place before it that a cheapest clustering may come from.
    void fill(std::vector<Place> &places, std::size_t at, const std::vector<double> &before,
              double price) const
    {
        const ForwardErrors errors(m_sums);
        Place &place = places[at];
        std::vector<std::pair<std::uint32_t, double>> from;
        std::size_t fewest = std::numeric_limits<std::size_t>::max(), most = 0;
        for (std::size_t i = 0; i < at; ++i) {
            const Place &other = places[i];
            const double error = errors(other.end, place.end);
            if (other.error.empty() ||
                !(before[other.end] + error + price <= before[place.end] + m_slack))
                continue;
            from.emplace_back(static_cast<std::uint32_t>(i), error);
            fewest = std::min(fewest, other.fewest + 1);
            most = std::max(most, other.fewest + other.error.size());
        }
        if (from.empty())
            return;
        place.fewest = fewest;
        place.error.assign(most - fewest + 1, std::numeric_limits<double>::infinity());
        place.before.assign(place.error.size(), 0);
        for (const auto &[number, error] : from) {
            const Place &other = places[number];
            for (std::size_t c = 0; c < other.error.size(); ++c) {
                const double sum = other.error[c] + error;
                const std::size_t to = other.fewest + 1 + c - fewest;
                if (sum < place.error[to]) {
                    place.error[to] = sum;
                    place.before[to] = number;
                }
            }
        }
    }

    std::optional<PricedSplits> traced(const std::vector<Place> &places) const
    {
        const Place &last = places.back();
        std::size_t clusters = m_problem.clusters;
        if (clusters < last.fewest || clusters - last.fewest >= last.error.size() ||
            !std::isfinite(last.error[clusters - last.fewest]))
            return std::nullopt;
        PricedSplits found;
        found.error = last.error[clusters - last.fewest];
        found.bounds.resize(clusters + 1);
        for (std::size_t at = places.size() - 1; at > 0; --clusters) {
            found.bounds[clusters] = places[at].end;
            at = places[at].before[clusters - places[at].fewest];
        }
        return found;
    }

    PricedProblem m_problem;
    std::vector<SumsAt> m_sums;
    double m_slack;
};

} // namespace

std::optional<PricedSplits> pricedSplits(const PricedProblem &problem)
{
    return problem.centre == RunCentre::Half ? PricedSearch<RunCentre::Half>(problem).find()
                                             : PricedSearch<RunCentre::Mean>(problem).find();
}

} // namespace kernscope::codec
