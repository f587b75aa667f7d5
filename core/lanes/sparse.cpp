// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lanes/sparse.h"

#include "core/base/little_endian.h"
#include "core/lanes/lane_order.h"

#include <array>
#include <bit>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

constexpr std::uint64_t kSliceAlignment = 64;
constexpr std::uint64_t kRowBytes = 2; // a mask byte and a zero byte
constexpr std::uint64_t kMaxSlice = UINT32_MAX;

Error sparseError(std::string field, std::string expected, std::string found,
                  std::string_view message)
{
    return valueError("lanes.sparse", field, expected, found, message);
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

/// Slices that leave zeros out, and what their bytes say once they are known.
struct SparseSlices {
    SparseForm form = SparseForm::H13;
    SliceLayout layout;
    SlicePlaces places;
    std::uint64_t extent = 0;
    std::optional<SparseIndex> index;
};
using SparseSlicesPtr = std::shared_ptr<const SparseSlices>;

/// By lane and mask byte: bytes of the numbers of the lanes before it; odd where the lane itself
/// has none.
constexpr auto kBytesBefore = [] {
    std::array<std::array<std::uint8_t, 256>, kMaxSparseLanes> before{};
    for (unsigned lane = 0; lane < kMaxSparseLanes; ++lane) {
        for (unsigned mask = 0; mask < 256; ++mask)
            before[lane][mask] = static_cast<std::uint8_t>(
                2U * static_cast<unsigned>(std::popcount(mask & ((1U << lane) - 1U))) +
                ((mask >> lane & 1U) ^ 1U));
    }
    return before;
}();

/// The stored numbers, or the bits of the mask bytes among them.
class SparseOrder final : public codec::ElementOrder
{
public:
    enum class Of : std::uint8_t { Numbers, MaskBits };
    SparseOrder(SparseSlicesPtr slices, Of of) : m_slices(std::move(slices)), m_of(of) {}

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        if (!m_slices->index) {
            std::ranges::fill(out, kAbsent);
            return;
        }
        const std::uint64_t steps = m_slices->layout.steps();
        std::uint64_t channel = first / steps, step = first % steps;
        for (std::size_t done = 0; done < out.size(); ++channel, step = 0) {
            const auto rows = m_slices->index->rowsOf(channel);
            const std::uint64_t start = m_slices->places.starts[rows.engine];
            const std::size_t count = std::min<std::uint64_t>(steps - step, out.size() - done);
            const auto part = out.subspan(done, count);
            if (m_of == Of::Numbers)
                numbersOf(start, rows, step, part);
            else
                for (std::size_t i = 0; i < count; ++i)
                    part[i] = position(start, rows.row(step + i), rows.lane);
            done += count;
        }
    }

    std::optional<codec::KeptTile> keptAt(std::uint64_t first, std::uint64_t count) const override
    {
        if (!m_slices->index || m_of != Of::Numbers)
            return std::nullopt;
        const std::uint64_t steps = m_slices->layout.steps(), step = first % steps;
        const auto rows = m_slices->index->rowsOf(first / steps);
        const auto shape = shapeAt(first, count, steps, rows.width - rows.lane);
        codec::KeptTile tile;
        tile.rows = shape.rows;
        tile.columns = shape.columns;
        tile.lanes = rows.width;
        tile.lane = rows.lane;
        tile.mask = rows.masks.subspan(step);
        tile.at = m_slices->places.starts[rows.engine] + rows.offsets[step];
        tile.gap = SparseIndex::rowGap(rows.width);
        return tile;
    }

    std::uint64_t elements() const override { return m_slices->layout.elements(); }
    std::uint64_t extent() const override { return m_slices->extent; }
    bool skipsZeros() const override { return m_of == Of::Numbers; }

    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        if (!m_slices->index)
            return std::nullopt;
        const SparseIndex &index = *m_slices->index;
        const auto place = sliceAt(m_slices->places, m_slices->layout.engines(), bit / 8);
        const auto found = place ? index.rowAt(*place) : std::nullopt;
        if (!found)
            return std::nullopt;
        auto lane = SparseIndex::laneAt(found->row, place->offset);
        if (m_of == Of::MaskBits)
            lane = place->offset == index.maskAt(found->row) && bit % 8 < found->plane->width
                       ? std::optional(static_cast<unsigned>(bit % 8))
                       : std::nullopt;
        if (!lane)
            return std::nullopt;
        return (found->plane->firstChannel + *lane) * m_slices->layout.steps() + found->step;
    }

    std::vector<std::uint64_t> copies(std::uint64_t element) const override
    {
        std::vector<std::uint64_t> bits;
        if (!m_slices->index)
            return bits;
        const std::uint64_t steps = m_slices->layout.steps();
        const auto rows = m_slices->index->rowsOf(element / steps);
        for (const auto &starts : m_slices->places.copies) {
            const auto bit = position(starts[rows.engine], rows.row(element % steps), rows.lane);
            if (bit != kAbsent)
                bits.push_back(bit);
        }
        return bits;
    }

    Result<std::shared_ptr<const codec::ElementOrder>>
    bound(std::span<const std::byte> bytes) const override
    {
        if (bytes.size() < m_slices->extent)
            return placesError(fmt::format("{} bytes", m_slices->extent),
                               fmt::format("{}", bytes.size()));
        auto index = TRY(SparseIndex::make(m_slices->form, m_slices->layout,
                                           slicesIn(bytes, m_slices->layout, m_slices->places)));
        auto slices = std::make_shared<SparseSlices>(*m_slices);
        slices->index = std::move(index);
        return std::make_shared<const SparseOrder>(std::move(slices), m_of);
    }

    /// The pieces are the rows, whose places the length words say: the same rows at the same places
    /// of the slices are the same numbers.
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(static_cast<std::uint64_t>(m_slices->form));
        notes.add(static_cast<std::uint64_t>(m_of));
        noteLayout(notes, m_slices->layout);
        for (std::uint64_t engine = 0; engine < m_slices->layout.engines(); ++engine)
            notes.addPiecesIn(m_slices->places.starts[engine], m_slices->places.lengths[engine]);
    }

    std::shared_ptr<const codec::ElementOrder> mask() const override
    {
        return m_of == Of::Numbers ? std::make_shared<const SparseOrder>(m_slices, Of::MaskBits)
                                   : nullptr;
    }

private:
    std::uint64_t position(std::uint64_t start, const SparseIndex::Row &row, unsigned lane) const
    {
        if (m_of == Of::MaskBits)
            return 8 * (start + m_slices->index->maskAt(row)) + lane;
        const auto offset = SparseIndex::numberAt(row, lane);
        return offset ? 8 * (start + *offset) : kAbsent;
    }

    /// position() of a lane's numbers in successive rows, without branches: nothing tells which of
    /// them are left out.
    static void numbersOf(std::uint64_t start, const SparseIndex::ChannelRows &rows,
                          std::uint64_t step, std::span<std::uint64_t> out)
    {
        const auto &before = kBytesBefore[rows.lane];
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t bytes = before[std::to_integer<unsigned>(rows.masks[step + i])];
            const std::uint64_t absent = 0 - (bytes & 1U); // all bits: kAbsent
            out[i] = 8 * (start + rows.offsets[step + i] + bytes) | absent;
        }
    }

    SparseSlicesPtr m_slices;
    Of m_of;
};
static_assert(codec::ElementOrder::kAbsent == ~std::uint64_t{0});

/// Biases of slices whose planes lie where their length words say.
class SparseBiasOrder final : public codec::ElementOrder
{
public:
    SparseBiasOrder(const SliceLayout &layout, const std::vector<SparsePlane> &planes,
                    SlicePlaces places, std::uint64_t extent)
        : m_engines(layout.engines()), m_planes(planes), m_places(std::move(places)),
          m_extent(extent), m_of(layout.geometry().outputs)
    {
        for (const SparsePlane &plane : planes) {
            for (std::uint64_t lane = 0; lane < plane.width; ++lane)
                m_of[plane.firstChannel + lane] = {plane.engine, plane.bias + 2 * lane};
        }
    }

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const LanePlace &place = m_of[first + i];
            out[i] = 8 * (m_places.starts[place.engine] + place.offset);
        }
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto place = sliceAt(m_places, m_engines, bit / 8);
        for (std::size_t i = 0; place && i < m_planes.size(); ++i) {
            const SparsePlane &plane = m_planes[i];
            if (plane.engine == place->engine && place->offset >= plane.bias &&
                place->offset < plane.length)
                return plane.firstChannel + (place->offset - plane.bias) / 2;
        }
        return std::nullopt;
    }
    std::uint64_t elements() const override { return m_of.size(); }
    std::uint64_t extent() const override { return m_extent; }
    std::vector<std::uint64_t> copies(std::uint64_t element) const override
    {
        std::vector<std::uint64_t> bits;
        for (const auto &starts : m_places.copies)
            bits.push_back(8 * (starts[m_of[element].engine] + m_of[element].offset));
        return bits;
    }
    void note(codec::LayoutNotes &notes) const override
    {
        notes.add(m_of.size());
        for (const SparsePlane &plane : m_planes) {
            notes.add(plane.firstChannel);
            notes.add(plane.width);
            notes.addRun(m_places.starts[plane.engine] + plane.bias, 2 * plane.width);
        }
    }

private:
    std::uint64_t m_engines;
    std::vector<SparsePlane> m_planes;
    SlicePlaces m_places;
    std::uint64_t m_extent;
    std::vector<LanePlace> m_of; ///< by channel
};

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

Result<std::vector<SparsePlane>> sparsePlanes(SparseForm form, const SliceLayout &layout,
                                              SliceSpans slices)
{
    TRY(checkForm(layout));
    if (slices.size() < layout.engines()) {
        return refused("lanes.length", "slices", fmt::format("{}", layout.engines()),
                       fmt::format("{}", slices.size()), "Slices are missing");
    }
    std::vector<SparsePlane> planes;
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        std::uint64_t at = 0;
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            const auto plane = layout.plane(chunk, engine);
            if (!plane)
                continue;
            auto found = TRY(planeAt(form, layout, *plane, slices[engine], at));
            at = found.next;
            planes.push_back(found);
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
    auto planes = TRY(sparsePlanes(form, layout, slices));
    SparseIndex index(layout, form);
    index.m_planes = std::move(planes);
    index.m_planeOf.resize(static_cast<std::size_t>(layout.engines() * layout.chunks().size()));
    for (std::size_t i = 0; i < index.m_planes.size(); ++i) {
        const SparsePlane &plane = index.m_planes[i];
        index.m_planeOf[plane.engine * layout.chunks().size() + plane.chunk] = i;
        TRY(index.readPlane(plane, slices[plane.engine]));
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

// Orders over slices that leave zeros out: where a number lies follows from the masks before it.

Result<std::shared_ptr<const codec::ElementOrder>>
sparseOrder(SparseForm form, const SliceLayout &layout, SlicePlaces places)
{
    const auto extent = TRY(extentOf(layout, places, false));
    auto slices = std::make_shared<SparseSlices>();
    *slices = {form, layout, std::move(places), extent, std::nullopt};
    return std::make_shared<const SparseOrder>(std::move(slices), SparseOrder::Of::Numbers);
}

Result<std::shared_ptr<const codec::ElementOrder>>
sparseBiasOrder(const SliceLayout &layout, const std::vector<SparsePlane> &planes,
                SlicePlaces places)
{
    const auto extent = TRY(extentOf(layout, places, false));
    if (!layout.geometry().bias)
        return placesError("a row of biases", "none");
    return std::make_shared<const SparseBiasOrder>(layout, planes, std::move(places), extent);
}

} // namespace kernscope::lanes
