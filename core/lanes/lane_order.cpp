// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/lane_order.h"

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

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

    void note(codec::LayoutNotes &notes) const override
    {
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

constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 59;

} // namespace

Result<std::shared_ptr<const codec::ElementOrder>> weightOrder(const SliceLayout &layout,
                                                               SlicePlaces places)
{
    const auto extent = TRY(extentOf(layout, places, true));
    return std::make_shared<DenseOrder>(layout, std::move(places), extent, false);
}

Result<std::shared_ptr<const codec::ElementOrder>> biasOrder(const SliceLayout &layout,
                                                             SlicePlaces places)
{
    const auto extent = TRY(extentOf(layout, places, true));
    if (!layout.geometry().bias)
        return placesError("a row of biases", "none");
    return std::make_shared<DenseOrder>(layout, std::move(places), extent, true);
}

tl::unexpected<Error> placesError(std::string expected, std::string found)
{
    return refused("lanes.length", "slices", expected, found,
                   "The slices do not fit the weight's layout");
}

Result<std::uint64_t> extentOf(const SliceLayout &layout, const SlicePlaces &places, bool dense)
{
    if (places.starts.size() < layout.engines() || places.lengths.size() < layout.engines())
        return placesError(fmt::format("{} slices", layout.engines()),
                           fmt::format("{}", places.starts.size()));
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
        return placesError("slices within the file", "one past its end");
    for (std::uint64_t engine = 0; dense && engine < layout.engines(); ++engine) {
        if (places.lengths[engine] < layout.usedBytes(engine))
            return placesError(
                fmt::format("{} bytes in slice {}", layout.usedBytes(engine), engine),
                fmt::format("{}", places.lengths[engine]));
    }
    return extent;
}

std::optional<LanePlace> sliceAt(const SlicePlaces &places, std::uint64_t engines,
                                 std::uint64_t byte)
{
    const auto among = [&](const std::vector<std::uint64_t> &starts) -> std::optional<LanePlace> {
        for (std::uint64_t engine = 0; engine < engines; ++engine) {
            if (byte >= starts[engine] && byte - starts[engine] < places.lengths[engine])
                return LanePlace{engine, byte - starts[engine]};
        }
        return std::nullopt;
    };
    auto place = among(places.starts);
    for (std::size_t i = 0; !place && i < places.copies.size(); ++i)
        place = among(places.copies[i]);
    return place;
}

void noteLayout(codec::LayoutNotes &notes, const SliceLayout &layout)
{
    const WeightExtents &g = layout.geometry();
    const SliceForm &form = layout.form();
    for (const std::uint64_t number :
         {g.outputs, g.inputs, g.depth, g.height, g.width, g.groups, std::uint64_t{g.bias},
          std::uint64_t{form.engines}, form.planeAlignment, std::uint64_t{layout.chunks().size()}})
        notes.add(number);
    for (const Chunk &chunk : layout.chunks()) {
        notes.add(chunk.lanes);
        notes.add(chunk.channels);
    }
}

std::vector<std::span<const std::byte>>
slicesIn(std::span<const std::byte> bytes, const SliceLayout &layout, const SlicePlaces &places)
{
    std::vector<std::span<const std::byte>> slices;
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine)
        slices.push_back(bytes.subspan(places.starts[engine], places.lengths[engine]));
    return slices;
}

} // namespace kernscope::lanes
