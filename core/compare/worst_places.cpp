// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/worst_places.h"

#include "core/bundle/bundle.h"
#include "core/compare/pair_reader.h"

#include <cmath>

namespace kernscope {

namespace {

constexpr std::size_t kBins = PairBins::kBins;

/// Adds a count and keeps the first element that was counted.
void countIn(std::vector<std::uint64_t> &counts, std::vector<std::uint64_t> &first, std::size_t bin,
             std::uint64_t element)
{
    if (counts[bin]++ == 0)
        first[bin] = element;
}

/// The bin that a bin falls into once the width doubles.
std::size_t halved(std::size_t bin)
{
    return kBins / 4 + bin / 2;
}

void fold(std::vector<std::uint64_t> &counts)
{
    std::vector<std::uint64_t> folded(kBins, 0);
    for (std::size_t i = 0; i < kBins; ++i)
        folded[halved(i)] += counts[i];
    counts = std::move(folded);
}

void foldFirst(std::vector<std::uint64_t> &first)
{
    std::vector<std::uint64_t> folded(kBins, PairBins::kNoElement);
    for (std::size_t i = 0; i < kBins; ++i)
        folded[halved(i)] = std::min(folded[halved(i)], first[i]);
    first = std::move(folded);
}

constexpr std::uint64_t kWorstRun = 65536;

/// The largest of what is offered, in a heap whose front is the least of them.
template <class Item>
class Largest
{
public:
    explicit Largest(std::size_t most) : m_most(most) {}

    /// Of equal keys the one offered first stays.
    void offer(ExactValue key, const Item &item)
    {
        if (m_most == 0 || (m_items.size() == m_most && !(key > m_items.front().key)))
            return;
        if (m_items.size() == m_most) {
            std::pop_heap(m_items.begin(), m_items.end(), before);
            m_items.pop_back();
        }
        m_items.push_back({key, m_offered++, item});
        std::push_heap(m_items.begin(), m_items.end(), before);
    }

    std::vector<Item> take()
    {
        std::ranges::sort(m_items, before);
        std::vector<Item> items;
        for (const Kept &kept : m_items)
            items.push_back(kept.item);
        return items;
    }

private:
    struct Kept {
        ExactValue key = 0;
        std::uint64_t order = 0;
        Item item;
    };
    static bool before(const Kept &x, const Kept &y)
    {
        return x.key > y.key || (x.key == y.key && x.order < y.order);
    }

    std::size_t m_most;
    std::uint64_t m_offered = 0;
    std::vector<Kept> m_items;
};

class PlaceFinder
{
public:
    PlaceFinder(std::uint64_t perChannel, ElementType typeOfA, const PlacesWanted &wanted)
        : m_perChannel(perChannel), m_typeOfA(typeOfA), m_only(wanted.only),
          m_channels(wanted.channels), m_elements(wanted.elements)
    {
    }

    template <class T>
    void add(std::uint64_t first, std::span<const T> a, std::span<const T> b)
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            addOne(first + i, a[i], b[i]);
            if (++m_now.elements == m_perChannel)
                closeChannel();
        }
    }

    WorstPlaces finish()
    {
        if (m_now.elements > 0)
            closeChannel();
        m_result.worstChannels = m_channels.take();
        m_result.worstElements = m_elements.take();
        return std::move(m_result);
    }

private:
    template <class T>
    void addOne(std::uint64_t element, T a, T b)
    {
        if (std::isfinite(a) && std::isfinite(b)) {
            m_signal += a * a;
            m_noise += (a - b) * (a - b);
            ++m_finite;
        }
        const T distance = apart(a, b);
        if (m_only.any() ? m_only.holds(m_typeOfA, a, b) : distance != 0) {
            ++m_result.chosenElements;
            m_elements.offer(distance, {element, a, b});
        }
        if (distance == 0)
            return;
        ++m_now.different;
        ++(a != 0 && b == 0 ? m_now.zeroed : a == 0 && b != 0 ? m_now.revived : m_now.changed);
        if (distance > m_furthest) {
            m_furthest = distance;
            m_now.worst = element;
        }
    }

    void closeChannel()
    {
        m_now.channel = m_result.channels++;
        m_now.maxAbs = static_cast<double>(m_furthest);
        m_now.rmse =
            m_finite > 0
                ? static_cast<double>(std::sqrt(m_noise / static_cast<ExactValue>(m_finite)))
                : 0;
        m_now.snr = m_noise > 0 ? static_cast<double>(10 * std::log10(m_signal / m_noise))
                                : std::numeric_limits<double>::infinity();
        if (m_now.different > 0) {
            ++m_result.differentChannels;
            m_channels.offer(m_furthest, m_now);
        }
        m_now = {};
        m_signal = m_noise = m_furthest = 0;
        m_finite = 0;
    }

    std::uint64_t m_perChannel;
    ElementType m_typeOfA;
    ElementChoice m_only;
    WorstPlaces m_result;
    ChannelDifference m_now;
    ExactValue m_signal = 0, m_noise = 0, m_furthest = 0; ///< of the channel
    std::uint64_t m_finite = 0;
    Largest<ChannelDifference> m_channels;
    Largest<ElementPair> m_elements;
};

/// `shape`: that of the elements that are read.
Result<WorstPlaces> placesOf(const diff::PairReader &reader, const Shape &shape,
                             ElementType typeOfA, std::optional<diff::PairBinner> binner,
                             const PlacesWanted &wanted, Progress *progress)
{
    const std::uint64_t outputs = shape.empty() ? 1 : std::max<std::uint64_t>(shape.front(), 1);
    PlaceFinder finder(std::max<std::uint64_t>(reader.elements() / outputs, 1), typeOfA, wanted);
    std::vector<double> valuesA(kWorstRun), valuesB(kWorstRun);
    std::vector<ExactValue> exactA, exactB;
    for (std::uint64_t first = 0; first < reader.elements(); first += kWorstRun) {
        const auto count = static_cast<std::size_t>(std::min(kWorstRun, reader.elements() - first));
        const auto runA = std::span(valuesA).first(count), runB = std::span(valuesB).first(count);
        reader.readDoubles(first, runA, runB);
        if (reader.wide()) {
            exactA.resize(count);
            exactB.resize(count);
            reader.readExact(true, first, exactA);
            reader.readExact(false, first, exactB);
            finder.add<ExactValue>(first, exactA, exactB);
        } else
            finder.add<double>(first, runA, runB);
        if (binner)
            binner->add(first, runA, runB);
        if (progress != nullptr && !progress->advance(count))
            return tl::unexpected(cancelledError("The search was cancelled"));
    }
    WorstPlaces places = finder.finish();
    if (binner)
        places.bins = binner->take();
    return places;
}

} // namespace

std::optional<std::size_t> PairBins::binOf(double value) const
{
    const double bin = std::floor(value / width) + static_cast<double>(kBins / 2);
    if (!(bin >= 0 && bin < static_cast<double>(kBins)))
        return std::nullopt;
    return static_cast<std::size_t>(bin);
}

std::optional<std::pair<std::size_t, std::size_t>> PairBins::occupied() const
{
    std::optional<std::pair<std::size_t, std::size_t>> range;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == 0 && b[i] == 0)
            continue;
        range = {range ? range->first : i, i};
    }
    return range;
}

namespace diff {

PairBinner::PairBinner(double range)
{
    const double reach = std::isfinite(range) && range > 0 ? range : 1.0;
    int exponent = 0;
    // reach <= 2^exponent: the magnitude lies within the bins of one side of 0.
    const double mantissa = std::frexp(reach, &exponent);
    exponent -= mantissa == 0.5 ? 1 : 0;
    // Of the largest numbers 2^exponent is none.
    m_bins.width = std::ldexp(2.0 / static_cast<double>(kBins), exponent);
    for (auto *counts : {&m_bins.a, &m_bins.b, &m_bins.zeroed, &m_bins.revived})
        counts->assign(kBins, 0);
    for (auto *first : {&m_bins.firstZeroed, &m_bins.firstRevived})
        first->assign(kBins, PairBins::kNoElement);
    m_bins.both.assign(kBins * kBins, 0);
    m_bins.first.assign(kBins * kBins, PairBins::kNoElement);
}

void PairBinner::add(std::uint64_t first, std::span<const double> a, std::span<const double> b)
{
    widenFor(a);
    widenFor(b);
    for (std::size_t i = 0; i < a.size(); ++i)
        addOne(first + i, a[i], b[i]);
}

void PairBinner::widenFor(std::span<const double> values)
{
    double most = 0;
    for (const double value : values)
        most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
    while (m_widenings > 0 && most >= -m_bins.edge(0)) {
        widen();
        --m_widenings;
    }
}

void PairBinner::widen()
{
    m_bins.width *= 2;
    for (auto *counts : {&m_bins.a, &m_bins.b, &m_bins.zeroed, &m_bins.revived})
        fold(*counts);
    for (auto *first : {&m_bins.firstZeroed, &m_bins.firstRevived})
        foldFirst(*first);
    std::vector<std::uint64_t> both(kBins * kBins, 0), first(kBins * kBins, PairBins::kNoElement);
    for (std::size_t y = 0; y < kBins; ++y) {
        for (std::size_t x = 0; x < kBins; ++x) {
            const std::size_t from = y * kBins + x, to = halved(y) * kBins + halved(x);
            both[to] += m_bins.both[from];
            first[to] = std::min(first[to], m_bins.first[from]);
        }
    }
    m_bins.both = std::move(both);
    m_bins.first = std::move(first);
}

void PairBinner::addOne(std::uint64_t element, double a, double b)
{
    const bool finiteA = std::isfinite(a), finiteB = std::isfinite(b);
    const std::size_t binA = finiteA ? m_bins.binOf(a).value_or(kBins) : kBins;
    const std::size_t binB = finiteB ? m_bins.binOf(b).value_or(kBins) : kBins;
    if (binA < kBins)
        ++m_bins.a[binA];
    if (binB < kBins)
        ++m_bins.b[binB];
    m_bins.outsideA += finiteA && binA == kBins;
    m_bins.outsideB += finiteB && binB == kBins;
    m_bins.notFiniteA += !finiteA;
    m_bins.notFiniteB += !finiteB;
    if (!finiteA || !finiteB)
        ++m_bins.notFinite;
    else if (a == 0 && b == 0)
        ++m_bins.zeros;
    else if (binA == kBins || binB == kBins) {
        if (m_bins.outside++ < PairBins::kMostFar)
            m_bins.far.push_back({element, a, b});
    } else if (b == 0)
        countIn(m_bins.zeroed, m_bins.firstZeroed, binA, element);
    else if (a == 0)
        countIn(m_bins.revived, m_bins.firstRevived, binB, element);
    else
        countIn(m_bins.both, m_bins.first, binB * kBins + binA, element);
}

} // namespace diff

bool ElementChoice::holds(ElementType typeOfA, ExactValue valueA, ExactValue valueB) const
{
    if ((a && !a->hold(static_cast<double>(valueA))) ||
        (b && !b->hold(static_cast<double>(valueB))))
        return false;
    if (!steps)
        return true;
    const bool apart = std::isnan(valueA) != std::isnan(valueB);
    const std::uint64_t distance = apart ? UINT64_MAX : exactUlpDistance(typeOfA, valueA, valueB);
    return distance >= steps->first && distance <= steps->last;
}

Result<WorstPlaces> findWorstPlaces(const Bundle &a, const Bundle &b, const PairSides &sides,
                                    const PlacesWanted &wanted, Progress *progress)
{
    const BundleReadLock lock(a, b);
    const auto reader = TRY(diff::PairReader::make(a, b, sides));
    std::optional<diff::PairBinner> binner;
    if (wanted.bins)
        binner.emplace(diff::sampledRange(reader));
    return placesOf(reader, comparedWeight(a, b, sides).shape, a.weights()[sides.a].type,
                    std::move(binner), wanted, progress);
}

} // namespace kernscope
