// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/constant_order.h"

#include "core/numeric/bitpack.h"

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
        std::ranges::fill(out, 8 * m_at);
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

/// Which element of what is stored each element is that is read, and which codebook serves it.
class Permuted : public ElementOrder
{
public:
    explicit Permuted(Permutation permutation)
        : m_width(permutation.width), m_of(std::move(permutation.of)), m_at(permutation.at.value),
          m_axes(permutation.axes.size())
    {
        const Shape &shape = permutation.shape;
        m_elements = elementCount(shape).value_or(ElementCount()).value;
        std::vector<std::uint64_t> strides(shape.size());
        std::uint64_t stride = 1;
        for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i])
            strides[i] = stride;
        stride = 1;
        for (std::size_t i = m_axes.size(); i-- > 0; stride *= m_axes[i].extent) {
            m_axes[i].extent = shape[permutation.axes[i]];
            m_axes[i].storedStride = strides[permutation.axes[i]];
            m_axes[i].readStride = stride;
        }
        for (std::size_t i = std::min(m_axes.size(), permutation.books.size()); i-- > 0;) {
            m_axes[i].block = std::max<std::uint64_t>(m_axes[i].extent / permutation.books[i], 1);
            m_axes[i].bookStride = m_books;
            m_books *= permutation.books[i];
        }
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t table(std::uint64_t element) const override
    {
        std::uint64_t book = 0;
        for (const Axis &axis : m_axes)
            book += element / axis.readStride % axis.extent / axis.block * axis.bookStride;
        return m_books > 1 ? book : 0;
    }
    std::uint64_t tables() const override { return m_books; }
    std::string lockReason() const override { return m_of ? m_of->lockReason() : std::string(); }

protected:
    std::uint64_t storedOf(std::uint64_t element) const
    {
        std::uint64_t at = 0;
        for (const Axis &axis : m_axes)
            at += element / axis.readStride % axis.extent * axis.storedStride;
        return at;
    }
    std::uint64_t readOf(std::uint64_t stored) const
    {
        std::uint64_t element = 0;
        for (const Axis &axis : m_axes)
            element += stored / axis.storedStride % axis.extent * axis.readStride;
        return element;
    }
    /// Bit of the number that is stored as the `index`th.
    std::uint64_t bitOf(std::uint64_t index) const
    {
        if (!m_of)
            return 8 * m_at + index * m_width;
        std::uint64_t bit = 0;
        m_of->positions(index, std::span(&bit, 1));
        return bit;
    }
    /// The number that a bit is of, where there are `count`.
    std::optional<std::uint64_t> indexAt(std::uint64_t bit, std::uint64_t count) const
    {
        if (!m_of && bit < 8 * m_at)
            return std::nullopt;
        const auto index = m_of ? m_of->elementAt(bit) : std::optional((bit - 8 * m_at) / m_width);
        return index && *index < count ? index : std::nullopt;
    }
    std::uint64_t end(std::uint64_t count) const
    {
        return m_of ? m_of->extent() : m_at + (count * m_width + 7) / 8;
    }

    struct Axis {
        std::uint64_t extent = 1, storedStride = 1, readStride = 1;
        std::uint64_t block = 1, bookStride = 0; ///< elements that a codebook serves
    };
    unsigned m_width;
    std::shared_ptr<const ElementOrder> m_of;
    std::uint64_t m_at;       ///< byte
    std::vector<Axis> m_axes; ///< as read
    std::uint64_t m_elements = 0, m_books = 1;
};

class PermutedOrder final : public Permuted, public NotedOrder
{
public:
    using Permuted::Permuted;

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = bitOf(storedOf(first + i));
    }
    std::uint64_t extent() const override { return end(m_elements); }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto stored = indexAt(bit, m_elements);
        return stored ? std::optional(readOf(*stored)) : std::nullopt;
    }
    bool note(LayoutNotes &notes) const override
    {
        notes.begin(LayoutNotes::Kind::Columns);
        notes.add(m_width);
        for (const Axis &axis : m_axes) {
            notes.add(axis.extent);
            notes.add(axis.storedStride);
            notes.add(axis.block);
        }
        const auto *noted = dynamic_cast<const NotedOrder *>(m_of.get());
        return !m_of || (noted && noted->note(notes));
    }
};

class KeptOrder final : public Permuted
{
public:
    KeptOrder(const Permutation &permutation, std::uint64_t kept, FileOffset mask)
        : Permuted(permutation), m_kept(kept), m_mask(mask.value)
    {
        m_maskOrder = permutedOrder({permutation.shape, permutation.axes, 1, nullptr, mask, {}});
    }

    Result<std::shared_ptr<const ElementOrder>>
    bound(std::span<const std::byte> bytes) const override
    {
        auto made = std::make_shared<KeptOrder>(*this);
        made->m_bits = bytes.subspan(m_mask, (m_elements + 7) / 8);
        made->m_before.clear();
        std::uint64_t ones = 0;
        for (std::uint64_t at = 0; at < m_elements; at += kRun) {
            made->m_before.push_back(ones);
            ones += countBits(made->m_bits, at, std::min(kRun, m_elements - at));
        }
        if (ones != m_kept)
            return refused("codec.mask", "nonzero_data", std::to_string(ones),
                           std::to_string(m_kept), "The mask does not match its values");
        return std::shared_ptr<const ElementOrder>(std::move(made));
    }
    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t stored = storedOf(first + i);
            out[i] = isSet(stored) ? bitOf(rank(stored)) : kAbsent;
        }
    }
    std::uint64_t extent() const override
    {
        return std::max(end(m_kept), m_mask + (m_elements + 7) / 8);
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto index = m_before.empty() ? std::nullopt : indexAt(bit, m_kept);
        if (!index)
            return std::nullopt;
        const auto run = std::upper_bound(m_before.begin(), m_before.end(), *index) - 1;
        std::uint64_t stored = static_cast<std::uint64_t>(run - m_before.begin()) * kRun;
        for (std::uint64_t left = *index - *run; left > 0 || !isSet(stored); ++stored)
            left -= isSet(stored) ? 1 : 0;
        return readOf(stored);
    }
    bool skipsZeros() const override { return true; }
    std::shared_ptr<const ElementOrder> mask() const override { return m_maskOrder; }

private:
    static constexpr std::uint64_t kRun = 4096;

    bool isSet(std::uint64_t stored) const
    {
        return !m_bits.empty() &&
               (std::to_integer<unsigned>(m_bits[stored / 8]) >> stored % 8 & 1U) != 0;
    }
    std::uint64_t rank(std::uint64_t stored) const
    {
        return m_before[stored / kRun] + countBits(m_bits, stored / kRun * kRun, stored % kRun);
    }

    std::uint64_t m_kept, m_mask; ///< numbers; byte
    std::shared_ptr<const ElementOrder> m_maskOrder;
    std::span<const std::byte> m_bits;   ///< empty until it is bound
    std::vector<std::uint64_t> m_before; ///< by run of elements: those kept before it
};

Shape permuted(const Shape &shape, const std::vector<std::size_t> &axes)
{
    Shape result;
    for (const std::size_t axis : axes)
        result.push_back(shape[axis]);
    return result;
}

/// The operand with an order: its place is one piece of the file.
Operand orderedOperand(Operand operand, const Shape &shape,
                       std::shared_ptr<const ElementOrder> order)
{
    operand = readAs(std::move(operand), operand.type, shape);
    if (!operand.place->isLiteral())
        operand.place =
            std::make_shared<const OperandPlace>(inPieces(OperandPlace(*operand.place)));
    operand.order = std::move(order);
    return operand;
}

/// What a mask keeps, read with the axes of the whole permuted, and the mask as well. Both must lie
/// in the file, the mask's bits one after another.
bool turnKept(Encoding &encoding, const std::vector<std::size_t> &axes, const Shape &books)
{
    auto *payload = std::get_if<Operand>(&encoding.payload);
    Operand &mask = *encoding.mask;
    if (payload == nullptr || mask.order || mask.place->isLiteral() || payload->place->isLiteral())
        return false;
    const auto kept = elementCount(payload->shape).value_or(ElementCount()).value;
    auto order = keptOrder({encoding.shape, axes, bitWidth(payload->type), payload->order,
                            payload->place->dataOffset, books},
                           kept, mask.place->dataOffset);
    *payload =
        orderedOperand(std::move(*payload), permuted(encoding.shape, axes), std::move(order));
    mask = permutedOperand(readAs(std::move(mask), mask.type, encoding.shape), axes);
    return true;
}

/// The same of a table; axes beyond the permutation stay.
bool turnTable(OperandSource &source, const std::vector<std::size_t> &axes)
{
    const Shape &shape = sourceShape(source);
    if (elementCount(shape) == ElementCount(1))
        return true;
    if (shape.size() < axes.size())
        return false;
    if (auto *operand = std::get_if<Operand>(&source)) {
        *operand = permutedOperand(std::move(*operand), axes);
        return true;
    }
    Encoding inner = *std::get<std::shared_ptr<const Encoding>>(source);
    std::vector<std::size_t> all = axes;
    for (std::size_t i = axes.size(); i < shape.size(); ++i)
        all.push_back(i);
    if (!turnAxes(inner, all))
        return false;
    source = std::make_shared<const Encoding>(std::move(inner));
    return true;
}

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

std::shared_ptr<const ElementOrder> permutedOrder(Permutation permutation)
{
    return std::make_shared<PermutedOrder>(std::move(permutation));
}

std::shared_ptr<const ElementOrder> keptOrder(Permutation permutation, std::uint64_t kept,
                                              FileOffset mask)
{
    return std::make_shared<KeptOrder>(permutation, kept, mask);
}

OperandPlace inPieces(OperandPlace place)
{
    if (place.pieces.empty())
        place.pieces = {place.range()};
    return place;
}

Operand permutedOperand(Operand operand, std::vector<std::size_t> axes, const Shape &books)
{
    for (std::size_t i = axes.size(); i < operand.shape.size(); ++i)
        axes.push_back(i);
    auto order = permutedOrder({operand.shape, axes, bitWidth(operand.type), operand.order,
                                operand.place->dataOffset, books});
    const Shape shape = permuted(operand.shape, axes);
    return orderedOperand(std::move(operand), shape, std::move(order));
}

bool turnAxes(Encoding &encoding, const std::vector<std::size_t> &axes)
{
    Shape books; // along each axis, where there are several
    if (encoding.palette) {
        Palette &palette = *encoding.palette;
        if (palette.vector > 1)
            return false;
        palette.grid = palette.grid.empty() ? Shape() : permuted(palette.grid, axes);
        if (elementCount(palette.grid).value_or(ElementCount()) != ElementCount(1)) {
            books = palette.grid;
            if (!turnTable(palette.lut, axes))
                return false;
        }
    }
    if (encoding.mask) {
        if (!turnKept(encoding, axes, books))
            return false;
    } else if (auto *operand = std::get_if<Operand>(&encoding.payload)) {
        if (operand->shape.size() != axes.size())
            return false;
        *operand = permutedOperand(std::move(*operand), axes, books);
    } else if (sourceShape(encoding.payload) != encoding.shape ||
               !turnTable(encoding.payload, axes)) {
        return false;
    }
    if (auto &scaling = encoding.scaling) {
        for (std::optional<OperandSource> *table : {&scaling->offset, &scaling->bias}) {
            if (*table && !turnTable(**table, axes))
                return false;
        }
        if (!turnTable(scaling->scale, axes))
            return false;
    }
    encoding.shape = permuted(encoding.shape, axes);
    return true;
}

} // namespace kernscope::codec
