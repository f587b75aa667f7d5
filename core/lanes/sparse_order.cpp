// SPDX-License-Identifier: GPL-3.0-or-later
// Orders over slices that leave zeros out: where a number lies follows from the masks before it.
#include "core/form/order_tiles.h"
#include "core/lanes/lane_order.h"
#include "core/lanes/lane_places.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include <fmt/format.h>

namespace kernscope::lanes {

namespace {

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
class SparseOrder final : public codec::ElementOrder,
                          public codec::NotedOrder,
                          public codec::TiledOrder
{
public:
    enum class Of : std::uint8_t { Numbers, MaskBits };
    SparseOrder(SparseSlicesPtr slices, Of of) : m_slices(std::move(slices)), m_of(of) {}

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        if (!m_slices->index) {
            std::fill(out.begin(), out.end(), kAbsent);
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

    std::optional<codec::OrderTile> tileAt(std::uint64_t, std::uint64_t) const override
    {
        return std::nullopt;
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
        tile.columnMaskBits = 8;
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
            return tl::unexpected(placesError(fmt::format("{} bytes", m_slices->extent),
                                              fmt::format("{}", bytes.size())));
        auto index = SparseIndex::make(m_slices->form, m_slices->layout,
                                       slicesIn(bytes, m_slices->layout, m_slices->places));
        if (!index)
            return tl::unexpected(std::move(index.error()));
        auto slices = std::make_shared<SparseSlices>(*m_slices);
        slices->index = std::move(*index);
        return std::make_shared<const SparseOrder>(std::move(slices), m_of);
    }

    /// The pieces are the rows, whose places the length words say: the same rows at the same places
    /// of the slices are the same numbers.
    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::SparseSlices);
        notes.add(static_cast<std::uint64_t>(m_slices->form));
        notes.add(static_cast<std::uint64_t>(m_of));
        noteLayout(notes, m_slices->layout);
        for (std::uint64_t engine = 0; engine < m_slices->layout.engines(); ++engine)
            notes.addPiecesIn(m_slices->places.starts[engine], m_slices->places.lengths[engine]);
        return true;
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
class SparseBiasOrder final : public codec::ElementOrder, public codec::NotedOrder
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
    bool note(codec::LayoutNotes &notes) const override
    {
        notes.begin(codec::LayoutNotes::Kind::SparseBiases);
        notes.add(m_of.size());
        for (const SparsePlane &plane : m_planes) {
            notes.add(plane.firstChannel);
            notes.add(plane.width);
            notes.addRun(m_places.starts[plane.engine] + plane.bias, 2 * plane.width);
        }
        return true;
    }

private:
    std::uint64_t m_engines;
    std::vector<SparsePlane> m_planes;
    SlicePlaces m_places;
    std::uint64_t m_extent;
    std::vector<LanePlace> m_of; ///< by channel
};

} // namespace

Result<std::shared_ptr<const codec::ElementOrder>>
sparseOrder(SparseForm form, const SliceLayout &layout, SlicePlaces places)
{
    const auto extent = extentOf(layout, places, false);
    if (!extent)
        return tl::unexpected(extent.error());
    auto slices = std::make_shared<SparseSlices>();
    *slices = {form, layout, std::move(places), *extent, std::nullopt};
    return std::make_shared<const SparseOrder>(std::move(slices), SparseOrder::Of::Numbers);
}

Result<std::shared_ptr<const codec::ElementOrder>>
sparseBiasOrder(const SliceLayout &layout, const std::vector<SparsePlane> &planes,
                SlicePlaces places)
{
    const auto extent = extentOf(layout, places, false);
    if (!extent)
        return tl::unexpected(extent.error());
    if (!layout.geometry().bias)
        return tl::unexpected(placesError("a row of biases", "none"));
    return std::make_shared<const SparseBiasOrder>(layout, planes, std::move(places), *extent);
}

} // namespace kernscope::lanes
