// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/lane_order.h"

#include "core/form/order_tiles.h"
#include "core/lanes/lane_places.h"

#include <algorithm>

namespace kernscope::lanes {

namespace {

class DenseOrder final : public codec::ElementOrder,
                         public codec::NotedOrder,
                         public codec::TiledOrder
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
            const LanePlace place = placeIn(channel, step);
            const std::uint64_t stride =
                16 * chunk.channelsOf((channel - chunk.first) / chunk.lanes);
            const std::uint64_t count = std::min<std::uint64_t>(steps - step, out.size() - done);
            std::uint64_t bit = 8 * (m_places.starts[place.engine] + place.offset);
            for (std::uint64_t i = 0; i < count; ++i, bit += stride)
                out[done++] = bit;
        }
    }

    std::optional<codec::OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        const std::uint64_t steps = m_bias ? 1 : m_layout.steps();
        const std::uint64_t channel = first / steps;
        const Chunk &chunk = m_layout.chunks()[m_layout.chunkOf(channel)];
        const std::uint64_t within = channel - chunk.first;
        const std::uint64_t width = chunk.channelsOf(within / chunk.lanes);
        codec::OrderTile tile = shapeAt(first, count, steps, width - within % chunk.lanes);
        const LanePlace place = placeIn(channel, first % steps);
        tile.bit = 8 * (m_places.starts[place.engine] + place.offset);
        tile.rowBits = 16;
        tile.columnBits = 16 * width;
        return tile;
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
        const LanePlace place = placeIn(element / steps, element % steps);
        std::vector<std::uint64_t> bits;
        for (const auto &starts : m_places.copies)
            bits.push_back(8 * (starts[place.engine] + place.offset));
        return bits;
    }

    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::Slices);
        notes.add(m_bias);
        noteLayout(notes, m_layout);
        const std::uint64_t biasRows = m_layout.geometry().bias ? 1 : 0;
        for (std::uint64_t chunk = 0; chunk < m_layout.chunks().size(); ++chunk) {
            for (std::uint64_t engine = 0; engine < m_layout.engines(); ++engine) {
                const auto plane = m_layout.plane(chunk, engine);
                if (!plane)
                    continue;
                const std::uint64_t row = 2 * plane->width;
                const std::uint64_t start = m_places.starts[engine] + plane->offset;
                notes.addRun(m_bias ? start : start + biasRows * row,
                             m_bias ? row : m_layout.steps() * row);
            }
        }
        return true;
    }

private:
    LanePlace placeIn(std::uint64_t channel, std::uint64_t step) const
    {
        return m_bias ? m_layout.biasPlace(channel) : m_layout.placeOf(channel, step);
    }

    SliceLayout m_layout;
    SlicePlaces m_places;
    std::uint64_t m_extent;
    bool m_bias;
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

} // namespace kernscope::lanes
