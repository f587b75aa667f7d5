// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/content_match.h"

#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/half.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::diff {

namespace {

/// Pairs of one shape whose channels are matched at most: each costs the square of the channels.
constexpr std::size_t kMostOrders = 64;

using Indices = std::vector<std::size_t>;

std::map<Shape, Indices> byShape(const Bundle &bundle, std::span<const std::size_t> weights,
                                 bool turned)
{
    std::map<Shape, Indices> groups;
    for (const std::size_t weight : weights) {
        Shape shape = squeezed(bundle.weights()[weight].shape);
        if (turned)
            std::ranges::reverse(shape);
        groups[shape].push_back(weight);
    }
    return groups;
}

/// Correlation that chance does not explain of samples that stand as they did: of few ones by their
/// hyperbolic angle, whose standard deviation is 1 / sqrt(n - 3).
double neededInOrder(std::size_t samples)
{
    constexpr std::size_t kFewest = 16, kMany = 64;
    constexpr double kDeviations = 8;
    const double needed = WeightSketch::needed(samples);
    return samples < kFewest || samples > kMany
               ? needed
               : std::min(needed,
                          std::tanh(kDeviations / std::sqrt(static_cast<double>(samples - 3))));
}

/// The weights of one shape that both sides have left; `turned`: matrices, those of B transposed.
class ShapeGroup
{
public:
    ShapeGroup(const Bundle &a, Indices weightsA, const Bundle &b, Indices weightsB, bool turned,
               const Progress *progress)
        : m_a(a), m_b(b), m_turned(turned), m_progress(progress), m_weightsA(std::move(weightsA)),
          m_weightsB(std::move(weightsB))
    {
    }

    void run(std::vector<ContentMatch> &result)
    {
        pairInOrder();
        if (!m_turned)
            pairReordered();
        result.insert(result.end(), m_found.begin(), m_found.end());
    }

private:
    std::vector<std::optional<WeightSketch>> sketches(const Bundle &bundle,
                                                      const Indices &weights) const
    {
        std::vector<std::optional<WeightSketch>> list;
        const bool turned = m_turned && &bundle == &m_b;
        for (const std::size_t weight : weights)
            list.push_back(cancelled() ? std::nullopt
                                       : WeightSketch::make(bundle, weight, 0, turned));
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
        take(std::move(candidates), neededInOrder(samples));
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
        std::ranges::stable_sort(candidates, std::ranges::greater(), &ContentMatch::similarity);
        const auto left = [](const Indices &weights, std::size_t weight) {
            return std::ranges::find(weights, weight) != weights.end();
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
    bool m_turned;
    const Progress *m_progress;
    Indices m_weightsA, m_weightsB; ///< left over
    std::vector<ContentMatch> m_found;
};

constexpr std::uint64_t kKeyRun = 4096;

/// What stands for a value in the digest; none where rounding loses all of it.
std::optional<double> keyValue(double value, KeyPrecision precision)
{
    if (std::isnan(value))
        return std::numeric_limits<double>::quiet_NaN();
    if (precision == KeyPrecision::Half) {
        const auto rounded = static_cast<double>(halfToFloat(doubleToHalf(value)));
        if ((rounded == 0) != (value == 0) || std::isinf(rounded) != std::isinf(value))
            return std::nullopt;
        value = rounded;
    }
    return value == 0 ? 0.0 : value; // -0 is the same value
}

/// Samples that a part is recognised by, and that have to speak for a whole.
constexpr std::uint64_t kJoinSamples = 1024;
constexpr std::size_t kLeastEvidence = 8;
/// Parts that are tried in one place of a whole, and parts of a whole.
constexpr std::size_t kMostCandidates = 256, kMostParts = 64;

/// Elements of a part and where they stand in the whole.
struct PartPlaces {
    std::uint64_t extent = 0; ///< of the part along the axis
    std::uint64_t inner = 1;  ///< elements of the axes after it
    std::uint64_t all = 0;    ///< extent of the whole

    std::uint64_t inWhole(std::uint64_t element, std::uint64_t first) const
    {
        const std::uint64_t run = extent * inner;
        return (element / run * all + first) * inner + element % run;
    }
};

/// A weight that may be a part, with the samples of it.
struct Candidate {
    std::size_t weight = 0;
    std::uint64_t extent = 0;
    std::vector<float> samples; ///< at samplePlaces() of its elements
    bool constant = true;
    bool used = false;
};

/// Where a part with that number of elements is sampled.
std::vector<std::uint64_t> samplePlaces(std::uint64_t elements)
{
    return spreadPlaces(elements, std::min(elements, kJoinSamples));
}

/// How well a part fits.
struct Fit {
    std::size_t candidate = kNoIndex;
    bool exact = false;
    double similarity = 0;
};

bool sameValue(float x, float y)
{
    return x == y || (std::isnan(x) && std::isnan(y));
}

/// How alike two runs of samples are, and whether that is more than chance.
struct Likeness {
    double similarity = 0;
    bool sure = false;
};

/// Correlation; or the share of the same values among those that are not zero, where nearly all
/// are: one value far off would spoil a correlation.
Likeness likenessOf(std::span<const float> x, std::span<const float> y)
{
    constexpr double kNearlyAll = 0.9;
    std::uint64_t same = 0, all = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0 && y[i] == 0)
            continue;
        ++all;
        same += sameValue(x[i], y[i]);
    }
    const double correlation = WeightSketch::correlation(x, y);
    const double share =
        all >= kLeastEvidence ? static_cast<double>(same) / static_cast<double>(all) : 0;
    if (share >= kNearlyAll)
        return {std::max(share, correlation), true};
    return {correlation, correlation >= WeightSketch::needed(x.size())};
}

/// One side's weights against those of the other side, which are the parts.
class JoinSearch
{
public:
    /// `split`: A has the wholes; `parts` of the other side, but for those that are `taken`
    /// meanwhile.
    JoinSearch(const Bundle &a, const Bundle &b, bool split, bool exact,
               std::span<const std::size_t> parts, const std::set<std::size_t> &taken,
               const Progress *progress)
        : m_whole(split ? a : b), m_part(split ? b : a), m_split(split), m_exact(exact),
          m_taken(taken), m_progress(progress)
    {
        for (const std::size_t part : parts) {
            const Shape &shape = m_part.weights()[part].shape;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                m_alike[{axis, without(shape, axis)}].push_back(part);
        }
    }

    bool cancelled() const { return m_progress != nullptr && m_progress->cancelled(); }

    /// The pairs of the parts of a weight; none where it has no parts.
    std::vector<ComparedPair> find(std::size_t weight)
    {
        const Weight &whole = m_whole.weights()[weight];
        const auto decoder = m_whole.decoder(weight);
        std::vector<ComparedPair> best;
        if (!decoder || whole.elements.value == 0 || cancelled())
            return best;
        for (std::size_t axis = 0; axis < whole.shape.size(); ++axis) {
            auto candidates = candidatesFor(whole, axis);
            std::uint64_t sum = 0;
            for (const Candidate &candidate : candidates)
                sum += candidate.extent;
            if (candidates.size() < 2 || sum < whole.shape[axis])
                continue;
            auto found = fill(*decoder, weight, axis, candidates);
            if (!found.empty() && (best.empty() || least(found) > least(best)))
                best = std::move(found);
        }
        return best;
    }

private:
    static double least(const std::vector<ComparedPair> &parts)
    {
        return *std::ranges::min_element(parts, {}, &ComparedPair::similarity)->similarity;
    }

    static Shape without(Shape shape, std::size_t axis)
    {
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
        return shape;
    }

    /// Those of the same extents but along the axis, and shorter there.
    std::vector<Candidate> candidatesFor(const Weight &whole, std::size_t axis)
    {
        std::vector<Candidate> list;
        const auto alike = m_alike.find({axis, without(whole.shape, axis)});
        if (alike == m_alike.end())
            return list;
        for (const std::size_t other : alike->second) {
            const std::uint64_t extent = m_part.weights()[other].shape[axis];
            if (extent == 0 || extent >= whole.shape[axis] || m_taken.contains(other))
                continue;
            if (auto made = candidateOf(other, extent))
                list.push_back(*std::move(made));
            if (list.size() == kMostCandidates || cancelled())
                break;
        }
        return list;
    }

    /// The samples of a part are the same for every whole: those of the first few thousand parts
    /// are kept (4 KiB each), so that many weights of one shape are not decoded once a whole.
    std::optional<Candidate> candidateOf(std::size_t weight, std::uint64_t extent)
    {
        constexpr std::size_t kMostKept = 4096;
        std::optional<Candidate> made;
        if (const auto known = m_made.find(weight); known != m_made.end())
            made = known->second;
        else if (made = sampled(weight); m_made.size() < kMostKept)
            m_made.emplace(weight, made);
        if (made)
            made->extent = extent;
        return made;
    }

    std::optional<Candidate> sampled(std::size_t weight) const
    {
        const auto decoder = m_part.decoder(weight);
        if (!decoder || decoder->elements().value == 0)
            return std::nullopt;
        Candidate made;
        made.weight = weight;
        const auto places = samplePlaces(decoder->elements().value);
        made.samples.resize(places.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            decoder->decodeFloat(places[i], std::span(made.samples).subspan(i, 1));
        made.constant = std::ranges::all_of(
            made.samples, [&](float value) { return value == made.samples.front(); });
        return made;
    }

    /// From the first place of the axis to its end, the best part each time.
    std::vector<ComparedPair> fill(const codec::Decoder &whole, std::size_t weight,
                                   std::size_t axis, std::vector<Candidate> &candidates) const
    {
        const Shape &shape = m_whole.weights()[weight].shape;
        PartPlaces places;
        places.all = shape[axis];
        for (std::size_t i = axis + 1; i < shape.size(); ++i)
            places.inner *= shape[i];
        std::vector<ComparedPair> parts;
        std::size_t evidence = 0;
        for (std::uint64_t at = 0; at < places.all;) {
            const Fit fit = bestFit(whole, places, at, candidates);
            if (fit.candidate == kNoIndex || parts.size() == kMostParts || cancelled())
                return {};
            Candidate &taken = candidates[fit.candidate];
            taken.used = true;
            evidence += taken.constant ? 0 : taken.samples.size();
            ComparedPair pair;
            pair.a = m_split ? weight : taken.weight;
            pair.b = m_split ? taken.weight : weight;
            pair.slice = {m_split, axis, at, taken.extent, parts.size(), 0};
            pair.pairing = Pairing::Content;
            pair.content = fit.exact ? ContentKind::Exact : ContentKind::Nearest;
            pair.similarity = fit.similarity;
            pair.shapeEqual = true;
            const Weight &one = m_whole.weights()[weight], &part = m_part.weights()[taken.weight];
            pair.storedRatio = m_split ? storedRatio(one, part) : storedRatio(part, one);
            parts.push_back(std::move(pair));
            at += taken.extent;
        }
        if (parts.size() < 2 || evidence < kLeastEvidence)
            return {};
        for (ComparedPair &pair : parts)
            pair.slice->parts = parts.size();
        return parts;
    }

    Fit bestFit(const codec::Decoder &whole, PartPlaces places, std::uint64_t at,
                const std::vector<Candidate> &candidates) const
    {
        Fit best;
        std::map<std::uint64_t, std::vector<float>> samplesOf; // of the whole, by a part's extent
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const Candidate &candidate = candidates[i];
            if (candidate.used || candidate.extent > places.all - at)
                continue;
            const auto [known, isNew] = samplesOf.try_emplace(candidate.extent);
            std::vector<float> &there = known->second;
            if (isNew) {
                // Parts of one extent have one shape, so one number of elements.
                places.extent = candidate.extent;
                const std::uint64_t elements =
                    whole.elements().value / places.all * candidate.extent;
                for (const std::uint64_t place : samplePlaces(elements))
                    whole.decodeFloat(places.inWhole(place, at),
                                      std::span(&there.emplace_back(), 1));
            }
            const bool same =
                std::equal(there.begin(), there.end(), candidate.samples.begin(), sameValue);
            const Likeness likeness =
                same ? Likeness{1, true} : likenessOf(there, candidate.samples);
            const double similarity = likeness.similarity;
            // Of equal ones the one that says something, and then the largest.
            const auto rank = [&](std::size_t of) {
                return std::pair(!candidates[of].constant, candidates[of].extent);
            };
            const bool better = best.candidate == kNoIndex || similarity > best.similarity ||
                                (similarity == best.similarity && rank(i) > rank(best.candidate));
            if ((same || (!m_exact && likeness.sure)) && better)
                best = {i, same, similarity};
        }
        return best;
    }

    const Bundle &m_whole;
    const Bundle &m_part;
    bool m_split, m_exact;
    const std::set<std::size_t> &m_taken;
    const Progress *m_progress;
    std::map<std::size_t, std::optional<Candidate>> m_made; ///< by weight of the parts' side
    /// Parts by an axis and their extents along the others.
    std::map<std::pair<std::size_t, Shape>, std::vector<std::size_t>> m_alike;
};

} // namespace

std::vector<ContentMatch> matchContent(const Bundle &a, std::span<const std::size_t> weightsA,
                                       const Bundle &b, std::span<const std::size_t> weightsB,
                                       const Progress *progress)
{
    std::vector<ContentMatch> result;
    Indices leftA(weightsA.begin(), weightsA.end()), leftB(weightsB.begin(), weightsB.end());
    for (const bool turned : {false, true}) {
        auto groupsB = byShape(b, leftB, turned);
        for (auto &[shape, ofA] : byShape(a, leftA, false)) {
            const auto ofB = turned && shape.size() != 2 ? groupsB.end() : groupsB.find(shape);
            if (ofB != groupsB.end())
                ShapeGroup(a, ofA, b, std::move(ofB->second), turned, progress).run(result);
        }
        for (const ContentMatch &match : result) {
            std::erase(leftA, match.a);
            std::erase(leftB, match.b);
        }
    }
    return result;
}

std::string contentKey(const Bundle &bundle, std::size_t weight, KeyPrecision precision)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    const std::uint64_t elements = decoder->elements().value;
    const std::uint64_t runs = elements <= kKeyElements ? 1 : kKeyElements / kKeyRun;
    const std::uint64_t run = elements <= kKeyElements ? elements : kKeyRun;
    std::vector<double> values(run);
    Sha256 digest;
    for (std::uint64_t i = 0; i < runs; ++i) {
        // The last run ends with the weight: (elements - run) / (runs - 1) apart.
        const std::uint64_t first = runs == 1 ? 0 : (elements - run) / (runs - 1) * i;
        decodeDoubles(*decoder, first, values);
        for (double &value : values) {
            const auto key = keyValue(value, precision);
            if (!key)
                return {};
            value = *key;
        }
        digest.update(std::as_bytes(std::span(values)));
    }
    const auto text = digest.finishHex();
    return text ? fmt::format("{} {}", elements, *text) : std::string();
}

std::string turnedKey(const Bundle &bundle, std::size_t weight, bool turned)
{
    constexpr std::uint64_t kSamples = 64;
    constexpr std::size_t kLeastDifferent = 8;
    Shape shape = bundle.weights()[weight].shape;
    shape.erase(std::remove(shape.begin(), shape.end(), 1u), shape.end());
    const auto decoder = bundle.decoder(weight);
    if (shape.size() != 2 || !decoder || decoder->elements().value < kSamples)
        return {};
    const std::uint64_t rows = shape[turned ? 1 : 0], columns = shape[turned ? 0 : 1];
    Sha256 digest;
    std::set<double> different;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
        const std::uint64_t place = (decoder->elements().value - 1) / (kSamples - 1) * i;
        double value = 0;
        decodeDoubles(*decoder, turned ? place % columns * rows + place / columns : place,
                      std::span(&value, 1));
        const auto key = keyValue(value, KeyPrecision::Half);
        if (!key)
            return {};
        different.insert(*key);
        digest.update(std::as_bytes(std::span(&*key, 1)));
    }
    const auto text = digest.finishHex();
    return text && different.size() >= kLeastDifferent
               ? fmt::format("{} {} {}", rows, columns, *text)
               : std::string();
}

std::vector<ComparedPair> findJoined(const Bundle &a, std::span<const std::size_t> weightsA,
                                     const Bundle &b, std::span<const std::size_t> weightsB,
                                     bool exact, const Progress *progress)
{
    std::vector<ComparedPair> result;
    std::set<std::size_t> takenA, takenB;
    for (const bool split : {true, false}) {
        JoinSearch search(a, b, split, exact, split ? weightsB : weightsA, split ? takenB : takenA,
                          progress);
        for (const std::size_t whole : split ? weightsA : weightsB) {
            if (search.cancelled() || (split ? takenA : takenB).contains(whole))
                continue;
            for (ComparedPair &pair : search.find(whole)) {
                takenA.insert(pair.a);
                takenB.insert(pair.b);
                result.push_back(std::move(pair));
            }
        }
    }
    return result;
}

} // namespace kernscope::diff
