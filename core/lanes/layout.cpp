// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/layout.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kElementBytes = 2;
constexpr std::uint64_t kAlignment = 64;

std::uint64_t roundUpTo(std::uint64_t value, std::uint64_t step)
{
    return (value + step - 1) / step * step; // elements are below 2^40 (reductionOf)
}

Error partialError(const Chunk &chunk, unsigned engines)
{
    return ErrorBuilder("lanes.partial")
        .field("output channels")
        .expected(fmt::format("a multiple of {} channels", engines * chunk.lanes))
        .found(fmt::format("{} channels from {} on", chunk.channels, chunk.first))
        .message(
            "How a container lays out a chunk that fills its lanes only in part is not published");
}

} // namespace

SliceForm containerForm(Law law, unsigned engines)
{
    SliceForm form;
    form.engines = engines;
    form.planeAlignment = law == Law::Grouped ? kAlignment : 1;
    return form;
}

Result<SliceLayout> SliceLayout::make(const WeightExtents &geometry, std::vector<Chunk> chunks,
                                      const SliceForm &form)
{
    auto steps = reductionOf(geometry);
    if (!steps)
        return tl::unexpected(std::move(steps.error()));
    SliceLayout layout;
    layout.m_geometry = geometry;
    layout.m_form = form;
    layout.m_steps = *steps;
    std::uint64_t channels = 0;
    for (const Chunk &chunk : chunks) {
        const bool whole = chunk.channels == form.engines * chunk.lanes;
        const bool last = &chunk == &chunks.back();
        const std::uint64_t rest = chunk.lanes == 0 ? 1 : chunk.channels % chunk.lanes;
        if (!whole && (!last || (rest != 0 && !form.narrowLast)))
            return tl::unexpected(partialError(chunk, form.engines));
        channels += chunk.channels;
    }
    if (channels != geometry.outputs || form.planeAlignment == 0 || form.sliceAlignment == 0) {
        return ErrorBuilder("lanes.geometry")
            .expected(fmt::format("chunks of {} channels together", geometry.outputs))
            .found(fmt::format("{}", channels))
            .message("The chunks do not cover the output channels")
            .unexpected();
    }
    layout.m_chunks = std::move(chunks);
    std::uint64_t offset = 0;
    for (const Chunk &chunk : layout.m_chunks) {
        layout.m_offsets.push_back(offset);
        offset += roundUpTo(layout.rows() * chunk.lanes * kElementBytes, form.planeAlignment);
    }
    for (std::uint64_t engine = 0; engine < form.engines; ++engine) {
        if (layout.m_chunks.front().channelsOf(engine) == 0)
            break;
        layout.m_sliceBytes.push_back(0);
        layout.m_sliceBytes.back() = roundUpTo(layout.usedBytes(engine), form.sliceAlignment);
    }
    return layout;
}

Result<SliceLayout> SliceLayout::make(const WeightExtents &geometry, Law law,
                                      const DealOptions &options)
{
    auto chunks = dealChannels(geometry, law, options);
    if (!chunks)
        return tl::unexpected(std::move(chunks.error()));
    return make(geometry, std::move(*chunks), containerForm(law, options.engines));
}

std::optional<Plane> SliceLayout::plane(std::uint64_t chunk, std::uint64_t engine) const
{
    const Chunk &run = m_chunks[chunk];
    Plane plane;
    plane.channels = run.channelsOf(engine);
    if (plane.channels == 0)
        return std::nullopt;
    plane.chunk = chunk;
    plane.engine = engine;
    plane.firstChannel = run.first + engine * run.lanes;
    plane.width = plane.channels;
    plane.offset = m_offsets[chunk];
    plane.bytes = roundUpTo(rows() * plane.width * kElementBytes, m_form.planeAlignment);
    return plane;
}

std::uint64_t SliceLayout::usedBytes(std::uint64_t engine) const
{
    for (std::uint64_t chunk = m_chunks.size(); chunk-- > 0;) {
        if (const auto last = plane(chunk, engine))
            return last->offset + last->bytes;
    }
    return 0;
}

std::uint64_t SliceLayout::totalBytes() const
{
    std::uint64_t total = 0;
    for (const std::uint64_t bytes : m_sliceBytes)
        total += bytes;
    return total;
}

std::uint64_t SliceLayout::chunkOf(std::uint64_t channel) const
{
    const auto behind =
        std::upper_bound(m_chunks.begin(), m_chunks.end(), channel,
                         [](std::uint64_t c, const Chunk &chunk) { return c < chunk.first; });
    return static_cast<std::uint64_t>(behind - m_chunks.begin()) - 1;
}

LanePlace SliceLayout::rowPlace(std::uint64_t channel, std::uint64_t row) const
{
    const std::uint64_t number = chunkOf(channel);
    const Chunk &chunk = m_chunks[number];
    const std::uint64_t within = channel - chunk.first;
    const std::uint64_t engine = within / chunk.lanes;
    const std::uint64_t width = chunk.channelsOf(engine);
    return {engine, m_offsets[number] + (row * width + within % chunk.lanes) * kElementBytes};
}

LanePlace SliceLayout::placeOf(std::uint64_t channel, std::uint64_t step) const
{
    return rowPlace(channel, step + (m_geometry.bias ? 1 : 0));
}

std::optional<SliceLayout::Number> SliceLayout::numberAt(const LanePlace &place) const
{
    if (place.engine >= engines() || m_offsets.empty())
        return std::nullopt;
    const auto behind = std::upper_bound(m_offsets.begin(), m_offsets.end(), place.offset);
    const auto chunk = static_cast<std::uint64_t>(behind - m_offsets.begin()) - 1; // offsets: 0, …
    const auto run = plane(chunk, place.engine);
    if (!run)
        return std::nullopt;
    const std::uint64_t number = (place.offset - run->offset) / kElementBytes;
    if (number >= rows() * run->width)
        return std::nullopt;
    return Number{run->firstChannel + number % run->width, number / run->width};
}

LanePlace SliceLayout::biasPlace(std::uint64_t channel) const
{
    return rowPlace(channel, 0);
}

} // namespace kernscope::lanes
