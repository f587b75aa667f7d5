// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/channel_order.h"

#include "core/bundle/bundle.h"
#include "core/compare/pair_reader.h"

#include <cmath>

namespace kernscope {

namespace {

/// Samples of a channel at most, and at least for its order to be looked for.
constexpr std::uint64_t kMostSamples = 64, kLeastSamples = 8;

/// Sums of a correlation, one pair of values after the other.
class Correlation
{
public:
    void add(float x, float y)
    {
        if (!std::isfinite(x) || !std::isfinite(y))
            return;
        const auto a = static_cast<double>(x), b = static_cast<double>(y);
        m_a += a;
        m_b += b;
        m_aa += a * a;
        m_bb += b * b;
        m_ab += a * b;
        ++m_count;
    }
    double value() const
    {
        if (m_count < 2)
            return 0;
        const auto n = static_cast<double>(m_count);
        const double va = m_aa - m_a * m_a / n, vb = m_bb - m_b * m_b / n;
        // What is left of equal values by rounding alone is no variance.
        if (!(va > 1e-12 * m_aa) || !(vb > 1e-12 * m_bb))
            return 0;
        return std::clamp((m_ab - m_a * m_b / n) / std::sqrt(va) / std::sqrt(vb), -1.0, 1.0);
    }

private:
    double m_a = 0, m_b = 0, m_aa = 0, m_bb = 0, m_ab = 0;
    std::uint64_t m_count = 0;
};

} // namespace

std::size_t ChannelOrder::moved(const std::vector<std::uint32_t> &order)
{
    std::size_t moved = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
        moved += order[i] != i;
    return moved;
}

namespace diff {

std::vector<std::uint64_t> spreadPlaces(std::uint64_t all, std::uint64_t count)
{
    std::vector<std::uint64_t> places;
    const std::uint64_t stratum = all / count;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t mixed = ((i + 1) * 0x9E3779B97F4A7C15u) >> 17;
        places.push_back(i * stratum + mixed % stratum);
    }
    return places;
}

Shape squeezed(const Shape &shape)
{
    Shape result;
    std::ranges::copy_if(shape, std::back_inserter(result),
                         [](std::uint64_t extent) { return extent != 1; });
    if (result.empty())
        result.push_back(1);
    return result;
}

std::optional<WeightSketch> WeightSketch::make(const Bundle &bundle, std::size_t weight,
                                               std::size_t axis, bool turned)
{
    Shape shape = squeezed(bundle.weights()[weight].shape);
    if (turned)
        std::ranges::reverse(shape);
    if (axis >= shape.size())
        return std::nullopt;
    const auto decoder = bundle.decoder(weight);
    if (!decoder || decoder->elements().value == 0)
        return std::nullopt;
    std::uint64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < axis; ++i)
        outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::uint64_t extent = shape[axis];
    if (outer * inner * extent != decoder->elements().value)
        return std::nullopt;
    // Of more channels than are matched some, spread over all: they still say whether two are one.
    const std::uint64_t channels = std::min(extent, kMostChannels);
    const std::uint64_t count = std::min(
        {outer * inner, kMostSamples, std::max(kMostElements / channels, std::uint64_t(1))});
    const auto picked = spreadPlaces(extent, channels), places = spreadPlaces(outer * inner, count);
    WeightSketch sketch;
    sketch.m_channels = static_cast<std::size_t>(channels);
    sketch.m_perChannel = static_cast<std::size_t>(count);
    sketch.m_samples.resize(sketch.m_channels * sketch.m_perChannel);
    std::size_t at = 0;
    for (const std::uint64_t channel : picked) {
        for (const std::uint64_t place : places) {
            std::uint64_t element = (place / inner * extent + channel) * inner + place % inner;
            if (turned)
                element = element % shape[1] * shape[0] + element / shape[1];
            decoder->decodeFloat(element, std::span(sketch.m_samples).subspan(at++, 1));
        }
    }
    return sketch;
}

double WeightSketch::correlation(const WeightSketch &a, const WeightSketch &b)
{
    return correlation(std::span(a.m_samples), std::span(b.m_samples));
}

double WeightSketch::correlation(std::span<const float> a, std::span<const float> b)
{
    Correlation sums;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        sums.add(a[i], b[i]);
    return sums.value();
}

double WeightSketch::needed(std::size_t samples)
{
    // Of n unrelated samples the correlation has a standard deviation of 1 / sqrt(n).
    constexpr double kLeast = 0.6, kDeviations = 6;
    return std::max(kLeast, kDeviations / std::sqrt(static_cast<double>(samples)));
}

namespace {

struct MatchCandidate {
    float distance = std::numeric_limits<float>::infinity();
    std::uint32_t a = 0, b = 0;
};

float channelDistance(const WeightSketch &a, std::uint32_t x, const WeightSketch &b,
                      std::uint32_t y)
{
    const float *u = a.channel(x), *v = b.channel(y);
    float sum = 0;
    for (std::size_t k = 0; k < a.perChannel(); k += 2)
        sum += (u[k] - v[k]) * (u[k] - v[k]);
    return sum;
}

/// The nearest channel of B to each of A. Of equally near ones the one in its place: channels of
/// zeros do not wander.
std::vector<MatchCandidate> nearestChannels(const WeightSketch &a, const WeightSketch &b)
{
    const auto channels = static_cast<std::uint32_t>(a.channels());
    std::vector<MatchCandidate> nearest(channels);
    for (std::uint32_t x = 0; x < channels; ++x) {
        nearest[x] = {channelDistance(a, x, b, x), x, x};
        for (std::uint32_t y = 0; y < channels; ++y) {
            const float distance = channelDistance(a, x, b, y);
            if (distance < nearest[x].distance) {
                nearest[x].distance = distance;
                nearest[x].b = y;
            }
        }
    }
    return nearest;
}

/// The nearest of those channels of B that are not taken; there is one.
std::uint32_t nearestFree(const WeightSketch &a, std::uint32_t x, const WeightSketch &b,
                          const std::vector<bool> &taken)
{
    const auto channels = static_cast<std::uint32_t>(taken.size());
    MatchCandidate best;
    best.b = channels;
    if (!taken[x])
        best = {channelDistance(a, x, b, x), x, x};
    for (std::uint32_t y = 0; y < channels; ++y) {
        const float distance = taken[y] ? 0 : channelDistance(a, x, b, y);
        if (!taken[y] && (best.b == channels || distance < best.distance)) {
            best.distance = distance;
            best.b = y;
        }
    }
    return best.b;
}

} // namespace

std::vector<std::uint32_t> WeightSketch::match(const WeightSketch &a, const WeightSketch &b)
{
    const auto channels = static_cast<std::uint32_t>(a.channels());
    std::vector<std::uint32_t> order(channels, channels);
    std::vector<bool> taken(channels, false);
    // The surest first, no channel of B twice.
    std::vector<MatchCandidate> nearest = nearestChannels(a, b);
    std::ranges::stable_sort(nearest, {}, &MatchCandidate::distance);
    std::vector<std::uint32_t> left;
    for (const MatchCandidate &one : nearest) {
        if (std::isinf(one.distance) || taken[one.b]) {
            left.push_back(one.a);
            continue;
        }
        order[one.a] = one.b;
        taken[one.b] = true;
    }
    for (const std::uint32_t x : left) {
        order[x] = nearestFree(a, x, b, taken);
        taken[order[x]] = true;
    }
    return order;
}

double WeightSketch::correlationOf(const WeightSketch &a, const WeightSketch &b,
                                   const std::vector<std::uint32_t> &order, bool movedOnly)
{
    Correlation sums;
    for (std::size_t x = 0; x < order.size(); ++x) {
        if (movedOnly && order[x] == x)
            continue;
        for (std::size_t k = 1; k < a.perChannel(); k += 2)
            sums.add(a.channel(x)[k], b.channel(order[x])[k]);
    }
    return sums.value();
}

std::optional<ChannelOrder> findChannelOrder(const Bundle &a, std::size_t weightA, const Bundle &b,
                                             std::size_t weightB)
{
    const Shape shape = squeezed(a.weights()[weightA].shape);
    if (shape.size() < 2 || shape != squeezed(b.weights()[weightB].shape))
        return std::nullopt;
    std::optional<ChannelOrder> best;
    for (const std::size_t axis : {std::size_t(0), std::size_t(1)}) {
        if (shape[axis] > WeightSketch::kMostChannels)
            continue;
        const auto sketchA = WeightSketch::make(a, weightA, axis);
        const auto sketchB = WeightSketch::make(b, weightB, axis);
        if (!sketchA || !sketchB || sketchA->perChannel() < kLeastSamples)
            continue;
        auto order = WeightSketch::match(*sketchA, *sketchB);
        const std::size_t moved = ChannelOrder::moved(order);
        const auto correlation = [&](bool movedOnly) {
            return WeightSketch::correlationOf(*sketchA, *sketchB, order, movedOnly);
        };
        const double found = correlation(false);
        const std::size_t half = sketchA->perChannel() / 2;
        // What moved must be alike by itself: the channels in their places speak for nothing.
        if (moved == 0 || found < WeightSketch::needed(sketchA->channels() * half) ||
            correlation(true) < WeightSketch::needed(moved * half) ||
            (best && found <= best->correlation))
            continue;
        best.emplace();
        best->correlation = found;
        (axis == 0 ? best->outputs : best->inputs) = std::move(order);
    }
    return best;
}

std::optional<ReorderedValues> compareReordered(const Bundle &a, std::size_t weightA,
                                                const Bundle &b, std::size_t weightB,
                                                const ChannelOrder &order, Progress *progress)
{
    const BundleReadLock lock(a, b);
    const auto decoderA = a.decoder(weightA), decoderB = b.decoder(weightB);
    const Shape shape = squeezed(a.weights()[weightA].shape);
    if (!decoderA || !decoderB || shape.size() < 2 || decoderA->elements() != decoderB->elements())
        return std::nullopt;
    const std::uint64_t inputs = shape[1], row = decoderA->elements().value / shape[0];
    const std::uint64_t inner = row / inputs;
    std::vector<ExactValue> fromA(inner), fromB(inner);
    ReorderedValues result;
    ExactValue squares = 0, largest = 0;
    std::uint64_t finite = 0;
    for (std::uint64_t out = 0; out < shape[0]; ++out) {
        const std::uint64_t outB = order.outputs.empty() ? out : order.outputs[out];
        for (std::uint64_t in = 0; in < inputs; ++in) {
            const std::uint64_t inB = order.inputs.empty() ? in : order.inputs[in];
            decodeExact(*decoderA, out * row + in * inner, fromA);
            decodeExact(*decoderB, outB * row + inB * inner, fromB);
            for (std::size_t i = 0; i < fromA.size(); ++i) {
                const ExactValue x = fromA[i], y = fromB[i];
                const bool same = x == y || (std::isnan(x) && std::isnan(y));
                ++(same ? result.equal : result.different);
                const ExactValue apart = same ? 0 : std::abs(x - y);
                const bool known = std::isfinite(apart);
                largest =
                    std::max(largest, known ? apart : std::numeric_limits<ExactValue>::infinity());
                squares += known ? apart * apart : 0;
                finite += std::isfinite(x) && std::isfinite(y);
            }
        }
        if (progress != nullptr && !progress->advance(row))
            return std::nullopt;
    }
    result.maxAbs = static_cast<double>(largest);
    if (finite > 0)
        result.rmse = static_cast<double>(std::sqrt(squares / static_cast<ExactValue>(finite)));
    return result;
}

} // namespace diff

} // namespace kernscope
