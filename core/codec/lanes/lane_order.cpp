// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/lanes/lane_order.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 59;

Error placesError(std::string expected, std::string found)
{
    Error error;
    error.code = "lanes.length";
    error.field = "slices";
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = "The slices do not fit the weight's layout";
    return error;
}

Result<std::uint64_t> extentOf(const SliceLayout &layout, const SlicePlaces &places, bool dense)
{
    if (places.starts.size() < layout.engines() || places.lengths.size() < layout.engines())
        return tl::unexpected(placesError(fmt::format("{} slices", layout.engines()),
                                          fmt::format("{}", places.starts.size())));
    std::uint64_t extent = 0;
    const auto include = [&](const std::vector<std::uint64_t> &starts) {
        for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
            if (starts[engine] > kMaxOffset || places.lengths[engine] > kMaxOffset)
                return false;
            extent = std::max(extent, starts[engine] + places.lengths[engine]);
        }
        return true;
    };
    bool sound = include(places.starts);
    for (const auto &copy : places.copies)
        sound = sound && copy.size() >= layout.engines() && include(copy);
    if (!sound)
        return tl::unexpected(placesError("slices within the file", "one past its end"));
    for (std::uint64_t engine = 0; dense && engine < layout.engines(); ++engine) {
        if (places.lengths[engine] < layout.usedBytes(engine))
            return tl::unexpected(
                placesError(fmt::format("{} bytes in slice {}", layout.usedBytes(engine), engine),
                            fmt::format("{}", places.lengths[engine])));
    }
    return extent;
}

/// The slice that holds a byte of the operand, in its own place or a copy.
std::optional<Place> sliceAt(const SlicePlaces &places, std::uint64_t engines, std::uint64_t byte)
{
    const auto among = [&](const std::vector<std::uint64_t> &starts) -> std::optional<Place> {
        for (std::uint64_t engine = 0; engine < engines; ++engine) {
            if (byte >= starts[engine] && byte - starts[engine] < places.lengths[engine])
                return Place{engine, byte - starts[engine]};
        }
        return std::nullopt;
    };
    auto place = among(places.starts);
    for (std::size_t i = 0; !place && i < places.copies.size(); ++i)
        place = among(places.copies[i]);
    return place;
}

class DenseOrder final : public codec::ElementOrder
{
public:
    DenseOrder(const SliceLayout &layout, SlicePlaces places, std::uint64_t extent, bool bias)
        : m_layout(layout), m_places(std::move(places)), m_extent(extent), m_bias(bias)
    {
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        const std::uint64_t steps = m_bias ? 1 : m_layout.steps();
        std::uint64_t channel = first / steps, step = first % steps;
        for (std::size_t done = 0; done < out.size(); ++channel, step = 0) {
            const Chunk &chunk = m_layout.chunks()[m_layout.chunkOf(channel)];
            const Place place = placeIn(channel, step);
            const std::uint64_t stride =
                16 * chunk.channelsOf((channel - chunk.first) / chunk.lanes);
            const std::uint64_t count = std::min<std::uint64_t>(steps - step, out.size() - done);
            std::uint64_t bit = 8 * (m_places.starts[place.engine] + place.offset);
            for (std::uint64_t i = 0; i < count; ++i, bit += stride)
                out[done++] = bit;
        }
    }

    std::uint64_t elements() const override
    {
        return m_bias ? m_layout.geometry().outputs : m_layout.elements();
    }
    std::uint64_t extent() const override { return m_extent; }

    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto place = sliceAt(m_places, m_layout.engines(), bit / 8);
        const auto number = place ? m_layout.numberAt(*place) : std::nullopt;
        const std::uint64_t biasRows = m_layout.geometry().bias ? 1 : 0;
        if (!number || m_bias != (number->row < biasRows))
            return std::nullopt;
        return m_bias ? number->channel
                      : number->channel * m_layout.steps() + number->row - biasRows;
    }

    std::vector<std::uint64_t> copies(std::uint64_t element) const override
    {
        const std::uint64_t steps = m_bias ? 1 : m_layout.steps();
        const Place place = placeIn(element / steps, element % steps);
        std::vector<std::uint64_t> bits;
        for (const auto &starts : m_places.copies)
            bits.push_back(8 * (starts[place.engine] + place.offset));
        return bits;
    }

private:
    Place placeIn(std::uint64_t channel, std::uint64_t step) const
    {
        return m_bias ? m_layout.biasPlace(channel) : m_layout.placeOf(channel, step);
    }

    SliceLayout m_layout;
    SlicePlaces m_places;
    std::uint64_t m_extent;
    bool m_bias;
};

class SparseOrder final : public codec::ElementOrder
{
public:
    SparseOrder(SparseForm form, const SliceLayout &layout, SlicePlaces places,
                std::uint64_t extent)
        : m_form(form), m_layout(layout), m_places(std::move(places)), m_extent(extent)
    {
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        const std::uint64_t steps = m_layout.steps();
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t element = first + i;
            const auto place =
                m_index ? m_index->placeOf(element / steps, element % steps) : std::nullopt;
            out[i] = place ? 8 * (m_places.starts[place->engine] + place->offset) : kAbsent;
        }
    }

    std::uint64_t elements() const override { return m_layout.elements(); }
    std::uint64_t extent() const override { return m_extent; }
    bool skipsZeros() const override { return true; }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto place = sliceAt(m_places, m_layout.engines(), bit / 8);
        return place && m_index ? m_index->elementAt(*place) : std::nullopt;
    }

    std::vector<std::uint64_t> copies(std::uint64_t element) const override
    {
        std::vector<std::uint64_t> bits;
        const std::uint64_t steps = m_layout.steps();
        const auto place =
            m_index ? m_index->placeOf(element / steps, element % steps) : std::nullopt;
        for (const auto &starts : m_places.copies) {
            if (place)
                bits.push_back(8 * (starts[place->engine] + place->offset));
        }
        return bits;
    }

    Result<std::shared_ptr<const codec::ElementOrder>>
    bound(std::span<const std::byte> bytes) const override
    {
        if (bytes.size() < m_extent)
            return tl::unexpected(
                placesError(fmt::format("{} bytes", m_extent), fmt::format("{}", bytes.size())));
        std::vector<std::span<const std::byte>> slices;
        for (std::uint64_t engine = 0; engine < m_layout.engines(); ++engine)
            slices.push_back(bytes.subspan(m_places.starts[engine], m_places.lengths[engine]));
        auto index = SparseIndex::make(m_form, m_layout, slices);
        if (!index)
            return tl::unexpected(std::move(index.error()));
        auto order = std::make_shared<SparseOrder>(m_form, m_layout, m_places, m_extent);
        order->m_index = std::move(*index);
        return std::shared_ptr<const codec::ElementOrder>(std::move(order));
    }

private:
    SparseForm m_form;
    SliceLayout m_layout;
    SlicePlaces m_places;
    std::uint64_t m_extent;
    std::optional<SparseIndex> m_index;
};

} // namespace

Result<std::shared_ptr<const codec::ElementOrder>> weightOrder(const SliceLayout &layout,
                                                               SlicePlaces places)
{
    const auto extent = extentOf(layout, places, true);
    if (!extent)
        return tl::unexpected(extent.error());
    return std::make_shared<DenseOrder>(layout, std::move(places), *extent, false);
}

Result<std::shared_ptr<const codec::ElementOrder>> biasOrder(const SliceLayout &layout,
                                                             SlicePlaces places)
{
    const auto extent = extentOf(layout, places, true);
    if (!extent)
        return tl::unexpected(extent.error());
    if (!layout.geometry().bias)
        return tl::unexpected(placesError("a row of biases", "none"));
    return std::make_shared<DenseOrder>(layout, std::move(places), *extent, true);
}

Result<std::shared_ptr<const codec::ElementOrder>>
sparseOrder(SparseForm form, const SliceLayout &layout, SlicePlaces places)
{
    const auto extent = extentOf(layout, places, false);
    if (!extent)
        return tl::unexpected(extent.error());
    return std::make_shared<SparseOrder>(form, layout, std::move(places), *extent);
}

} // namespace kernscope::lanes
