// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/sparse.h"

#include "core/base/error_builder.h"
#include "core/base/little_endian.h"
#include "core/base/quantity.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kSliceAlignment = 64;
constexpr std::uint64_t kRowBytes = 2; // a mask byte and a zero byte
constexpr std::uint64_t kMaxSlice = UINT32_MAX;

Error sparseError(std::string field, std::string expected, std::string found,
                  std::string_view message)
{
    return ErrorBuilder("lanes.sparse")
        .field(std::move(field))
        .expected(std::move(expected))
        .found(std::move(found))
        .message(message);
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

Error planeError(std::uint64_t engine, std::uint64_t chunk, std::string expected, std::string found)
{
    return sparseError(fmt::format("slice {} chunk {}", engine, chunk), std::move(expected),
                       std::move(found), "The plane is not in the form that leaves zeros out");
}

/// The plane that begins at a byte of its slice, by its length word.
Result<SparsePlane> planeAt(SparseForm form, const SliceLayout &layout, const Plane &plane,
                            std::span<const std::byte> slice, std::uint64_t at)
{
    const auto fault = [&plane](std::string expected, std::string found) {
        return tl::unexpected(
            planeError(plane.engine, plane.chunk, std::move(expected), std::move(found)));
    };
    SparsePlane found;
    found.chunk = plane.chunk;
    found.engine = plane.engine;
    found.firstChannel = plane.firstChannel;
    found.width = plane.width;
    found.bias = at;
    found.length = at + (layout.geometry().bias ? 2 * plane.width : 0);
    found.body = found.length + 2 + (form == SparseForm::H14 ? 1 : 0);
    if (slice.size() > kMaxSlice || found.body > slice.size())
        return fault("biases and a length word", "the end of the slice");
    const std::uint64_t length = loadLittle<std::uint16_t>(slice, found.length);
    const std::uint64_t room = slice.size() - found.body;
    if (room < length)
        return fault(fmt::format("a body of at most {} bytes", room), fmt::format("{}", length));
    const std::uint64_t empty = layout.steps() * (kRowBytes + fillBytes(plane.width));
    if (length < empty || (length - empty) % 2 != 0 ||
        (length - empty) / 2 > layout.steps() * plane.width)
        return fault(fmt::format("a body of {} rows", layout.steps()),
                     fmt::format("{} bytes", length));
    found.stored = (length - empty) / 2;
    found.end = found.body + length;
    const auto next = checkedRoundUp(found.end, kSliceAlignment);
    found.next = next && *next <= slice.size() ? *next : slice.size();
    return found;
}

} // namespace

std::string_view sparseFormName(SparseForm form)
{
    return form == SparseForm::H13 ? "H13" : "H14";
}

std::optional<SparseForm> sparseFormOf(std::string_view generation)
{
    for (const SparseForm form : {SparseForm::H13, SparseForm::H14}) {
        if (sparseFormName(form) == generation)
            return form;
    }
    return std::nullopt;
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

Result<std::vector<SparsePlane>> sparsePlanes(SparseForm form, const SliceLayout &layout,
                                              SliceSpans slices)
{
    if (auto checked = checkForm(layout); !checked)
        return tl::unexpected(std::move(checked.error()));
    if (slices.size() < layout.engines()) {
        return ErrorBuilder("lanes.length")
            .field("slices")
            .expected(fmt::format("{}", layout.engines()))
            .found(fmt::format("{}", slices.size()))
            .message("Slices are missing")
            .unexpected();
    }
    std::vector<SparsePlane> planes;
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        std::uint64_t at = 0;
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            const auto plane = layout.plane(chunk, engine);
            if (!plane)
                continue;
            auto found = planeAt(form, layout, *plane, slices[engine], at);
            if (!found)
                return tl::unexpected(std::move(found.error()));
            at = found->next;
            planes.push_back(*found);
        }
    }
    return planes;
}

Result<void> SparseIndex::readPlane(const SparsePlane &plane, std::span<const std::byte> slice)
{
    m_firstRows.push_back(m_offsets.size());
    std::uint64_t offset = plane.body, stored = 0;
    for (std::uint64_t step = 0; step < m_layout.steps(); ++step) {
        // The planes' lengths have room for every row without its numbers.
        const Row row{
            static_cast<std::uint32_t>(offset + 2),
            std::to_integer<std::uint8_t>(slice[offset + (m_form == SparseForm::H13 ? 1 : 0)])};
        const auto count = static_cast<std::uint64_t>(std::popcount(row.mask));
        stored += count;
        if ((row.mask >> plane.width) != 0 || stored > plane.stored)
            return tl::unexpected(planeError(plane.engine, plane.chunk,
                                             "rows that fit the lanes and the body",
                                             fmt::format("mask {:#x} at {:#x}", row.mask, offset)));
        m_offsets.push_back(row.offset);
        m_masks.push_back(std::byte(row.mask));
        offset += 2 * count + rowGap(plane.width);
    }
    if (stored == plane.stored)
        return {};
    return tl::unexpected(planeError(plane.engine, plane.chunk,
                                     fmt::format("{} numbers", plane.stored),
                                     fmt::format("{}", stored)));
}

Result<SparseIndex> SparseIndex::make(SparseForm form, const SliceLayout &layout, SliceSpans slices)
{
    auto planes = sparsePlanes(form, layout, slices);
    if (!planes)
        return tl::unexpected(std::move(planes.error()));
    SparseIndex index(layout, form);
    index.m_planes = std::move(*planes);
    index.m_planeOf.resize(static_cast<std::size_t>(layout.engines() * layout.chunks().size()));
    for (std::size_t i = 0; i < index.m_planes.size(); ++i) {
        const SparsePlane &plane = index.m_planes[i];
        index.m_planeOf[plane.engine * layout.chunks().size() + plane.chunk] = i;
        if (auto read = index.readPlane(plane, slices[plane.engine]); !read)
            return tl::unexpected(std::move(read.error()));
    }
    return index;
}

std::uint64_t SparseIndex::rowGap(std::uint64_t width)
{
    return kRowBytes + fillBytes(width);
}

SparseIndex::ChannelRows SparseIndex::rowsOf(std::uint64_t channel) const
{
    const std::uint64_t number = m_layout.chunkOf(channel);
    const Chunk &chunk = m_layout.chunks()[number];
    const std::uint64_t within = channel - chunk.first;
    const std::uint64_t engine = within / chunk.lanes;
    const std::size_t plane = m_planeOf[engine * m_layout.chunks().size() + number];
    return {engine, static_cast<unsigned>(within % chunk.lanes), m_planes[plane].width,
            std::span(m_offsets).subspan(m_firstRows[plane], m_layout.steps()),
            std::span(m_masks).subspan(m_firstRows[plane], m_layout.steps())};
}

std::optional<std::uint64_t> SparseIndex::numberAt(const Row &row, unsigned lane)
{
    if ((row.mask >> lane & 1U) == 0)
        return std::nullopt;
    const unsigned before = row.mask & ((1U << lane) - 1U);
    return row.offset + 2U * static_cast<unsigned>(std::popcount(before));
}

std::optional<SparseIndex::FoundRow> SparseIndex::rowAt(const LanePlace &place) const
{
    const auto behind =
        std::partition_point(m_planes.begin(), m_planes.end(), [&place](const SparsePlane &plane) {
            return plane.engine != place.engine ? plane.engine < place.engine
                                                : plane.body <= place.offset;
        });
    if (behind == m_planes.begin())
        return std::nullopt;
    const SparsePlane &plane = *std::prev(behind);
    if (plane.engine != place.engine || place.offset >= plane.end)
        return std::nullopt;
    const auto number = static_cast<std::size_t>(std::prev(behind) - m_planes.begin());
    const auto offsets = std::span(m_offsets).subspan(m_firstRows[number], m_layout.steps());
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), place.offset + kRowBytes);
    if (next == offsets.begin())
        return std::nullopt;
    const auto step = static_cast<std::uint64_t>(std::prev(next) - offsets.begin());
    const auto mask = m_masks[m_firstRows[number] + static_cast<std::size_t>(step)];
    return FoundRow{&plane, step, {offsets[step], std::to_integer<std::uint8_t>(mask)}};
}

std::optional<unsigned> SparseIndex::laneAt(const Row &row, std::uint64_t offset)
{
    if (offset < row.offset)
        return std::nullopt;
    std::uint64_t before = (offset - row.offset) / 2;
    if (before >= static_cast<unsigned>(std::popcount(row.mask)))
        return std::nullopt;
    unsigned lane = 0;
    while ((row.mask >> lane & 1U) == 0 || before-- > 0)
        ++lane;
    return lane;
}

} // namespace kernscope::lanes
