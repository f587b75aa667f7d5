// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/constant_order.h"

#include <algorithm>

namespace kernscope::codec {

namespace {

class SplatOrder final : public ElementOrder, public NotedOrder
{
public:
    SplatOrder(std::uint64_t elements, unsigned width, FileOffset at)
        : m_elements(elements), m_width(width), m_at(at.value)
    {
    }
    void positions(std::uint64_t, std::span<std::uint64_t> out) const override
    {
        std::fill(out.begin(), out.end(), 8 * m_at);
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return m_at + (m_width + 7) / 8; }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const bool own = bit >= 8 * m_at && bit - 8 * m_at < m_width && m_elements > 0;
        return own ? std::optional<std::uint64_t>(0) : std::nullopt;
    }
    bool note(LayoutNotes &notes) const override
    {
        notes.begin(LayoutNotes::Kind::Splat);
        notes.add(m_elements);
        return true;
    }
    std::string lockReason() const override { return "one stored number serves all elements"; }

private:
    std::uint64_t m_elements;
    unsigned m_width;
    std::uint64_t m_at; ///< byte
};

class OneAByteOrder final : public ElementOrder, public NotedOrder, public TiledOrder
{
public:
    OneAByteOrder(std::uint64_t elements, unsigned width, FileOffset at)
        : m_elements(elements), m_width(width), m_at(at.value)
    {
    }
    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = (m_at + first + i) * 8;
    }
    std::optional<OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const override
    {
        OrderTile tile = shapeAt(first, count, m_elements, 1);
        tile.bit = (m_at + first) * 8;
        tile.columnBits = 8;
        return tile;
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return m_at + m_elements; }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const bool own = bit / 8 >= m_at && bit / 8 - m_at < m_elements && bit % 8 < m_width;
        return own ? std::optional(bit / 8 - m_at) : std::nullopt;
    }
    bool note(LayoutNotes &notes) const override
    {
        notes.begin(LayoutNotes::Kind::OneAByte);
        notes.add(m_elements);
        return true;
    }

private:
    std::uint64_t m_elements;
    unsigned m_width;
    std::uint64_t m_at; ///< byte
};

class PermutedOrder final : public ElementOrder, public NotedOrder
{
public:
    PermutedOrder(const Shape &shape, std::span<const std::size_t> axes, unsigned width,
                  std::shared_ptr<const ElementOrder> of, FileOffset at)
        : m_width(width), m_of(std::move(of)), m_at(at.value), m_axes(axes.size())
    {
        m_elements = elementCount(shape).value_or(ElementCount()).value;
        std::vector<std::uint64_t> strides(shape.size());
        std::uint64_t stride = 1;
        for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i])
            strides[i] = stride;
        for (std::size_t i = 0; i < axes.size(); ++i)
            m_axes[i] = {shape[axes[i]], strides[axes[i]], 0};
        stride = 1;
        for (std::size_t i = axes.size(); i-- > 0; stride *= m_axes[i].extent)
            m_axes[i].readStride = stride;
    }
    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            std::uint64_t rest = first + i, at = 0;
            for (auto axis = m_axes.rbegin(); axis != m_axes.rend(); ++axis) {
                at += rest % axis->extent * axis->storedStride;
                rest /= axis->extent;
            }
            if (m_of)
                m_of->positions(at, out.subspan(i, 1));
            else
                out[i] = 8 * m_at + at * m_width;
        }
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override
    {
        return m_of ? m_of->extent() : m_at + (m_elements * m_width + 7) / 8;
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const bool before = !m_of && bit < 8 * m_at;
        const auto stored = m_of ? m_of->elementAt(bit) : std::optional((bit - 8 * m_at) / m_width);
        if (before || !stored || *stored >= m_elements)
            return std::nullopt;
        std::uint64_t element = 0;
        for (const Axis &axis : m_axes)
            element += *stored / axis.storedStride % axis.extent * axis.readStride;
        return element;
    }
    bool note(LayoutNotes &notes) const override
    {
        notes.begin(LayoutNotes::Kind::Columns);
        notes.add(m_width);
        for (const Axis &axis : m_axes) {
            notes.add(axis.extent);
            notes.add(axis.storedStride);
        }
        const auto *noted = dynamic_cast<const NotedOrder *>(m_of.get());
        return !m_of || (noted && noted->note(notes));
    }
    std::string lockReason() const override { return m_of ? m_of->lockReason() : std::string(); }

private:
    struct Axis {
        std::uint64_t extent = 1, storedStride = 1, readStride = 1;
    };
    unsigned m_width;
    std::shared_ptr<const ElementOrder> m_of;
    std::uint64_t m_at;       ///< byte
    std::vector<Axis> m_axes; ///< as read
    std::uint64_t m_elements = 0;
};

} // namespace

std::shared_ptr<const ElementOrder> splatOrder(std::uint64_t elements, unsigned width,
                                               FileOffset at)
{
    return std::make_shared<SplatOrder>(elements, width, at);
}

std::shared_ptr<const ElementOrder> oneAByteOrder(std::uint64_t elements, unsigned width,
                                                  FileOffset at)
{
    return std::make_shared<OneAByteOrder>(elements, width, at);
}

std::shared_ptr<const ElementOrder> permutedOrder(const Shape &shape,
                                                  std::span<const std::size_t> axes, unsigned width,
                                                  std::shared_ptr<const ElementOrder> of,
                                                  FileOffset at)
{
    return std::make_shared<PermutedOrder>(shape, axes, width, std::move(of), at);
}

OperandPlace inPieces(OperandPlace place)
{
    if (place.pieces.empty())
        place.pieces = {place.range()};
    return place;
}

} // namespace kernscope::codec
