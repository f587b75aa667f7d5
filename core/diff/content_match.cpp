// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/content_match.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kernscope::diff {

namespace {

/// Pairs of one shape whose channels are matched at most: each costs the square of the channels.
constexpr std::size_t kMostOrders = 64;

using Indices = std::vector<std::size_t>;

std::map<Shape, Indices> byShape(const Bundle &bundle, std::span<const std::size_t> weights)
{
    std::map<Shape, Indices> groups;
    for (const std::size_t weight : weights)
        groups[squeezed(bundle.weights()[weight].shape)].push_back(weight);
    return groups;
}

/// The weights of one shape that both sides have left.
class ShapeGroup
{
public:
    ShapeGroup(const Bundle &a, Indices weightsA, const Bundle &b, Indices weightsB,
               const Progress *progress)
        : m_a(a), m_b(b), m_progress(progress), m_weightsA(std::move(weightsA)),
          m_weightsB(std::move(weightsB))
    {
    }

    void run(std::vector<ContentMatch> &result)
    {
        pairInOrder();
        pairReordered();
        result.insert(result.end(), m_found.begin(), m_found.end());
    }

private:
    std::vector<std::optional<WeightSketch>> sketches(const Bundle &bundle,
                                                      const Indices &weights) const
    {
        std::vector<std::optional<WeightSketch>> list;
        for (const std::size_t weight : weights)
            list.push_back(cancelled() ? std::nullopt : WeightSketch::make(bundle, weight, 0));
        return list;
    }

    void pairInOrder()
    {
        const auto a = sketches(m_a, m_weightsA), b = sketches(m_b, m_weightsB);
        std::vector<ContentMatch> candidates;
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < b.size() && !cancelled(); ++j) {
                if (a[i] && b[j])
                    candidates.push_back({m_weightsA[i], m_weightsB[j],
                                          WeightSketch::correlation(*a[i], *b[j]), 0,
                                          std::nullopt});
            }
        }
        const std::size_t samples = a.empty() || !a.front() ? 0 : a.front()->samples();
        take(std::move(candidates), WeightSketch::needed(samples));
    }

    void pairReordered()
    {
        if (m_weightsA.size() * m_weightsB.size() > kMostOrders)
            return;
        std::vector<ContentMatch> candidates;
        for (const std::size_t a : m_weightsA) {
            for (const std::size_t b : m_weightsB) {
                if (cancelled())
                    return;
                if (auto order = findChannelOrder(m_a, a, m_b, b)) {
                    const double similarity = order->correlation;
                    candidates.push_back({a, b, similarity, 0, std::move(order)});
                }
            }
        }
        take(std::move(candidates), 0); // each is sure enough, else it were none
    }

    /// The most similar first, each weight once; what is taken is no longer left.
    void take(std::vector<ContentMatch> candidates, double needed)
    {
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const ContentMatch &x, const ContentMatch &y) {
                             return x.similarity > y.similarity;
                         });
        const auto left = [](const Indices &weights, std::size_t weight) {
            return std::find(weights.begin(), weights.end(), weight) != weights.end();
        };
        for (const ContentMatch &match : candidates) {
            if (match.similarity < needed || !left(m_weightsA, match.a) ||
                !left(m_weightsB, match.b))
                continue;
            ContentMatch taken = match;
            for (const ContentMatch &other : candidates) {
                const bool rival = (other.a == match.a) != (other.b == match.b);
                if (rival)
                    taken.next = std::max(taken.next, other.similarity);
            }
            std::erase(m_weightsA, match.a);
            std::erase(m_weightsB, match.b);
            m_found.push_back(std::move(taken));
        }
    }

    bool cancelled() const { return m_progress != nullptr && m_progress->cancelled(); }

    const Bundle &m_a;
    const Bundle &m_b;
    const Progress *m_progress;
    Indices m_weightsA, m_weightsB; ///< left over
    std::vector<ContentMatch> m_found;
};

} // namespace

std::vector<ContentMatch> matchContent(const Bundle &a, std::span<const std::size_t> weightsA,
                                       const Bundle &b, std::span<const std::size_t> weightsB,
                                       const Progress *progress)
{
    std::vector<ContentMatch> result;
    auto groupsB = byShape(b, weightsB);
    for (auto &[shape, ofA] : byShape(a, weightsA)) {
        const auto ofB = groupsB.find(shape);
        if (ofB != groupsB.end())
            ShapeGroup(a, ofA, b, std::move(ofB->second), progress).run(result);
    }
    return result;
}

} // namespace kernscope::diff
