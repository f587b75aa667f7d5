// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/lanes/sparse.h"

#include "core/base/little_endian.h"
#include "core/base/quantity.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kSliceAlignment = 64;
constexpr std::size_t kNoPlane = static_cast<std::size_t>(-1);
constexpr std::uint64_t kMaxSlice = UINT32_MAX;

Error sparseError(std::string field, std::string expected, std::string found,
                  std::string_view message)
{
    Error error;
    error.code = "lanes.sparse";
    error.field = std::move(field);
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = message;
    return error;
}

Result<void> checkForm(const SliceLayout &layout)
{
    for (const Chunk &chunk : layout.chunks()) {
        if (chunk.lanes > kMaxSparseLanes)
            return tl::unexpected(
                sparseError("lanes", fmt::format("at most {} lanes", kMaxSparseLanes),
                            fmt::format("{}", chunk.lanes),
                            "Slices that leave zeros out are known for up to eight lanes only"));
    }
    if (layout.geometry().groups != 1)
        return tl::unexpected(sparseError("groups", "one group",
                                          fmt::format("{}", layout.geometry().groups),
                                          "Grouped slices that leave zeros out are not published"));
    return {};
}

std::uint64_t fillBytes(std::uint64_t lanes)
{
    return lanes >= 4 ? lanes / 2 - 2 : 0;
}

bool isZero(std::uint16_t half)
{
    return (half & 0x7fffU) == 0;
}

void put16(Slice &slice, std::uint16_t value)
{
    slice.push_back(static_cast<std::byte>(value & 0xff));
    slice.push_back(static_cast<std::byte>(value >> 8));
}

/// Appends one row of a plane; its length without H14's zero after the mask.
void putRow(Slice &slice, SparseForm form, const SliceLayout &layout, const Plane &plane,
            std::uint64_t step, std::span<const std::uint16_t> weights)
{
    unsigned mask = 0;
    for (std::uint64_t lane = 0; lane < plane.width; ++lane) {
        if (!isZero(weights[(plane.firstChannel + lane) * layout.steps() + step]))
            mask |= 1U << lane;
    }
    if (form == SparseForm::H13)
        slice.push_back(std::byte(0));
    slice.push_back(static_cast<std::byte>(mask));
    if (form == SparseForm::H14)
        slice.push_back(std::byte(0));
    for (std::uint64_t lane = 0; lane < plane.width; ++lane) {
        if ((mask >> lane & 1U) != 0)
            put16(slice, weights[(plane.firstChannel + lane) * layout.steps() + step]);
    }
    slice.insert(slice.end(), fillBytes(plane.width), std::byte(0));
}

} // namespace

std::string_view sparseFormName(SparseForm form)
{
    return form == SparseForm::H13 ? "H13" : "H14";
}

Result<std::vector<Slice>> encodeSparse(SparseForm form, const SliceLayout &layout,
                                        std::span<const std::uint16_t> weights,
                                        std::span<const std::uint16_t> bias)
{
    if (auto checked = checkHalves(layout, weights, bias); !checked)
        return tl::unexpected(std::move(checked.error()));
    if (auto checked = checkForm(layout); !checked)
        return tl::unexpected(std::move(checked.error()));
    std::vector<Slice> slices(layout.engines());
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        Slice &slice = slices[engine];
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            const auto plane = layout.plane(chunk, engine);
            if (!plane)
                continue;
            for (std::uint64_t lane = 0; !bias.empty() && lane < plane->width; ++lane)
                put16(slice, bias[plane->firstChannel + lane]);
            const std::size_t lengthAt = slice.size();
            put16(slice, 0);
            if (form == SparseForm::H14)
                slice.push_back(std::byte(0));
            const std::size_t body = slice.size();
            for (std::uint64_t step = 0; step < layout.steps(); ++step)
                putRow(slice, form, layout, *plane, step, weights);
            const std::uint64_t length = slice.size() - body;
            if (length > UINT16_MAX)
                return tl::unexpected(sparseError(
                    fmt::format("slice {}", engine), "a body of at most 65535 bytes",
                    fmt::format("{}", length), "The plane is too long for its length word"));
            storeLittle<std::uint16_t>(slice, lengthAt, static_cast<std::uint16_t>(length));
            slice.resize((slice.size() + kSliceAlignment - 1) / kSliceAlignment * kSliceAlignment);
        }
    }
    return slices;
}

std::size_t SparseIndex::planeNumber(std::uint64_t chunk, std::uint64_t engine) const
{
    return static_cast<std::size_t>(engine * m_layout.chunks().size() + chunk);
}

Result<void> SparseIndex::readPlane(const Plane &plane, std::span<const std::byte> slice,
                                    std::uint64_t &at)
{
    const auto fault = [&plane](std::string expected, std::string found) {
        return tl::unexpected(sparseError(
            fmt::format("slice {} chunk {}", plane.engine, plane.chunk), std::move(expected),
            std::move(found), "The plane is not in the form that leaves zeros out"));
    };
    const std::uint64_t biasBytes = m_layout.geometry().bias ? 2 * plane.width : 0;
    const std::uint64_t lead = m_form == SparseForm::H14 ? 1 : 0;
    if (slice.size() > kMaxSlice || at > slice.size() || slice.size() - at < biasBytes + 2 + lead)
        return fault("biases and a length word", "the end of the slice");
    m_planeOffsets[planeNumber(plane.chunk, plane.engine)] = at;
    m_firstRows[planeNumber(plane.chunk, plane.engine)] = m_rows.size();
    const std::uint64_t length = loadLittle<std::uint16_t>(slice, at + biasBytes);
    const std::uint64_t begin = at + biasBytes + 2 + lead;
    if (slice.size() - begin < length)
        return fault(fmt::format("a body of at most {} bytes", slice.size() - begin),
                     fmt::format("{}", length));
    std::uint64_t offset = begin;
    for (std::uint64_t step = 0; step < m_layout.steps(); ++step) {
        if (begin + length - offset < 2)
            return fault(fmt::format("{} rows", m_layout.steps()), fmt::format("{}", step));
        const auto mask =
            std::to_integer<std::uint8_t>(slice[offset + (m_form == SparseForm::H13 ? 1 : 0)]);
        const std::uint64_t count = static_cast<std::uint64_t>(std::popcount(mask));
        const std::uint64_t bytes = 2 + 2 * count + fillBytes(plane.width);
        if ((mask >> plane.width) != 0 || begin + length - offset < bytes)
            return fault("rows that fit the lanes and the body",
                         fmt::format("mask {:#x} at {:#x}", mask, offset));
        m_rows.push_back({static_cast<std::uint32_t>(offset + 2), mask});
        m_stored += count;
        offset += bytes;
    }
    if (offset != begin + length)
        return fault(fmt::format("a body of {} bytes", offset - begin), fmt::format("{}", length));
    const auto end = checkedRoundUp(offset, kSliceAlignment);
    at = end && *end <= slice.size() ? *end : slice.size();
    return {};
}

Result<SparseIndex> SparseIndex::make(SparseForm form, const SliceLayout &layout, SliceSpans slices)
{
    if (auto checked = checkForm(layout); !checked)
        return tl::unexpected(std::move(checked.error()));
    SparseIndex index(layout, form);
    if (slices.size() < layout.engines()) {
        Error error = sparseError("slices", fmt::format("{}", layout.engines()),
                                  fmt::format("{}", slices.size()), "Slices are missing");
        error.code = "lanes.length";
        return tl::unexpected(std::move(error));
    }
    const std::size_t planes = static_cast<std::size_t>(layout.engines() * layout.chunks().size());
    index.m_planeOffsets.resize(planes);
    index.m_firstRows.resize(planes, kNoPlane);
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        std::uint64_t at = 0;
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            const auto plane = layout.plane(chunk, engine);
            if (!plane)
                continue;
            if (auto read = index.readPlane(*plane, slices[engine], at); !read)
                return tl::unexpected(std::move(read.error()));
        }
        index.m_used.push_back(at);
    }
    return index;
}

std::optional<Place> SparseIndex::placeOf(std::uint64_t channel, std::uint64_t step) const
{
    const std::uint64_t number = m_layout.chunkOf(channel);
    const Chunk &chunk = m_layout.chunks()[number];
    const std::uint64_t within = channel - chunk.first;
    const std::uint64_t engine = within / chunk.lanes;
    const std::uint64_t lane = within % chunk.lanes;
    const Row &row = m_rows[m_firstRows[planeNumber(number, engine)] + step];
    if ((row.mask >> lane & 1U) == 0)
        return std::nullopt;
    const unsigned before = row.mask & ((1U << lane) - 1U);
    return Place{engine, row.offset + 2U * static_cast<unsigned>(std::popcount(before))};
}

Place SparseIndex::biasPlace(std::uint64_t channel) const
{
    const std::uint64_t number = m_layout.chunkOf(channel);
    const Chunk &chunk = m_layout.chunks()[number];
    const std::uint64_t within = channel - chunk.first;
    const std::uint64_t engine = within / chunk.lanes;
    return {engine, m_planeOffsets[planeNumber(number, engine)] + 2 * (within % chunk.lanes)};
}

std::optional<std::uint64_t> SparseIndex::elementAt(const Place &place) const
{
    if (place.engine >= m_layout.engines())
        return std::nullopt;
    std::uint64_t chunk = m_layout.chunks().size();
    while (chunk > 0 && (m_firstRows[planeNumber(chunk - 1, place.engine)] == kNoPlane ||
                         m_planeOffsets[planeNumber(chunk - 1, place.engine)] > place.offset))
        --chunk;
    if (chunk == 0)
        return std::nullopt;
    const std::size_t number = planeNumber(--chunk, place.engine);
    const auto first = m_rows.begin() + static_cast<std::ptrdiff_t>(m_firstRows[number]);
    const auto last = first + static_cast<std::ptrdiff_t>(m_layout.steps());
    const auto behind =
        std::upper_bound(first, last, place.offset,
                         [](std::uint64_t at, const Row &row) { return at < row.offset; });
    if (behind == first)
        return std::nullopt;
    const Row &row = *std::prev(behind);
    std::uint64_t before = (place.offset - row.offset) / 2;
    if (before >= static_cast<unsigned>(std::popcount(row.mask)))
        return std::nullopt;
    std::uint64_t lane = 0;
    while ((row.mask >> lane & 1U) == 0 || before-- > 0)
        ++lane;
    const Chunk &run = m_layout.chunks()[chunk];
    const std::uint64_t channel = run.first + place.engine * run.lanes + lane;
    return channel * m_layout.steps() + static_cast<std::uint64_t>(std::prev(behind) - first);
}

Result<Halves> decodeSparse(SparseForm form, const SliceLayout &layout, SliceSpans slices)
{
    const auto index = SparseIndex::make(form, layout, slices);
    if (!index)
        return tl::unexpected(index.error());
    Halves halves;
    halves.weights.resize(layout.elements()); // every row of every plane was found in the bytes
    for (std::uint64_t channel = 0; channel < layout.geometry().outputs; ++channel) {
        for (std::uint64_t step = 0; step < layout.steps(); ++step) {
            if (const auto place = index->placeOf(channel, step))
                halves.weights[channel * layout.steps() + step] =
                    loadLittle<std::uint16_t>(slices[place->engine], place->offset);
        }
        if (layout.geometry().bias) {
            const Place place = index->biasPlace(channel);
            halves.bias.push_back(loadLittle<std::uint16_t>(slices[place.engine], place.offset));
        }
    }
    return halves;
}

} // namespace kernscope::lanes
