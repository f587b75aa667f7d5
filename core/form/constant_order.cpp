// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/form/constant_order.h"

#include "core/numeric/bitpack.h"

#include <algorithm>

namespace kernscope::codec {

namespace {

class SplatOrder final : public ElementOrder
{
public:
    SplatOrder(std::uint64_t elements, unsigned width, FileOffset at, std::uint64_t stored)
        : m_elements(elements), m_stored(stored), m_width(width), m_at(at.value)
    {
    }
    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::uint64_t &place : out)
            place = 8 * m_at + first++ % m_stored * m_width;
    }
    std::uint64_t elements() const override { return m_elements; }
    std::uint64_t extent() const override { return m_at + (m_stored * m_width + 7) / 8; }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const bool own =
            bit >= 8 * m_at && bit - 8 * m_at < m_stored * m_width && m_elements >= m_stored;
        return own ? std::optional((bit - 8 * m_at) / m_width) : std::nullopt;
    }
    void note(LayoutNotes &notes) const override
    {
        notes.add(m_elements);
        notes.add(m_stored);
    }

private:
    std::uint64_t m_elements, m_stored;
    unsigned m_width;
    std::uint64_t m_at; ///< byte
};

/// A matrix in words, `each` elements in one, along the rows or `down`.
class WordsOrder final : public ElementOrder
{
public:
    WordsOrder(const Shape &matrix, unsigned width, std::uint64_t word, std::uint64_t each,
               bool down, FileOffset at)
        : m_rows(matrix[0]), m_columns(matrix[1]), m_width(width), m_word(word), m_each(each),
          m_down(down), m_at(at.value)
    {
    }
    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t row = (first + i) / m_columns, column = (first + i) % m_columns;
            const std::uint64_t word =
                m_down ? row / m_each * m_columns + column : row * across() + column / m_each;
            out[i] = 8 * m_at + m_word * word + (m_down ? row : column) % m_each * m_width;
        }
    }
    std::uint64_t elements() const override { return m_rows * m_columns; }
    std::uint64_t extent() const override
    {
        const std::uint64_t lines = m_down ? (m_rows + m_each - 1) / m_each : m_rows;
        return m_at + m_word / 8 * lines * across();
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        if (bit < 8 * m_at || elements() == 0)
            return std::nullopt;
        const std::uint64_t word = (bit - 8 * m_at) / m_word;
        const std::uint64_t slot = (bit - 8 * m_at) % m_word / m_width;
        const std::uint64_t line = word / across(), place = word % across();
        const std::uint64_t row = m_down ? line * m_each + slot : line;
        const std::uint64_t column = m_down ? place : place * m_each + slot;
        const bool own = slot < m_each && row < m_rows && column < m_columns;
        return own ? std::optional(row * m_columns + column) : std::nullopt;
    }
    void note(LayoutNotes &notes) const override
    {
        for (const std::uint64_t number :
             {m_rows, m_columns, m_width, m_word, m_each, static_cast<std::uint64_t>(m_down)})
            notes.add(number);
    }

private:
    std::uint64_t across() const ///< words of a row
    {
        return m_down ? m_columns : (m_columns + m_each - 1) / m_each;
    }

    std::uint64_t m_rows, m_columns, m_width, m_word, m_each;
    bool m_down;
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

protected:
    std::uint64_t stored(std::uint64_t element) const
    {
        std::uint64_t at = 0;
        for (const Axis &axis : m_axes)
            at += element / axis.readStride % axis.extent * axis.storedStride;
        return at;
    }
    std::uint64_t readOf(std::uint64_t at) const
    {
        std::uint64_t element = 0;
        for (const Axis &axis : m_axes)
            element += at / axis.storedStride % axis.extent * axis.readStride;
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

class PermutedOrder final : public Permuted
{
public:
    using Permuted::Permuted;

    void positions(std::uint64_t first, std::span<std::uint64_t> out) const override
    {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = bitOf(stored(first + i));
    }
    std::uint64_t extent() const override { return end(m_elements); }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto at = indexAt(bit, m_elements);
        return at ? std::optional(readOf(*at)) : std::nullopt;
    }
    void note(LayoutNotes &notes) const override
    {
        notes.add(m_width);
        for (const Axis &axis : m_axes) {
            notes.add(axis.extent);
            notes.add(axis.storedStride);
            notes.add(axis.block);
        }
        notes.add(m_of.get());
    }
};

/// Must be bound to the bytes of the file, in which the mask lies too, where it is no literal.
class KeptValues final : public Permuted, public KeptOrder
{
public:
    KeptValues(const Permutation &permutation, std::uint64_t kept, const Operand &mask)
        : Permuted(permutation), m_kept(kept), m_mask(mask.place->dataOffset.value)
    {
        const FileOffset at = mask.place->dataOffset;
        m_maskOrder = permutedOrder({permutation.shape, permutation.axes, 1, nullptr, at, {}});
        if (mask.place->isLiteral()) {
            m_literal = mask.place;
            m_bits = mask.bytes;
        }
    }

    Result<std::shared_ptr<const ElementOrder>>
    bound(std::span<const std::byte> bytes) const override
    {
        auto made = std::make_shared<KeptValues>(*this);
        if (!m_literal)
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
            const std::uint64_t at = stored(first + i);
            out[i] = !m_before.empty() && isSet(at) ? bitOf(rank(at)) : kAbsent;
        }
    }
    std::uint64_t extent() const override
    {
        return std::max(end(m_kept), m_literal ? 0 : m_mask + (m_elements + 7) / 8);
    }
    std::optional<std::uint64_t> elementAt(std::uint64_t bit) const override
    {
        const auto index = m_before.empty() ? std::nullopt : indexAt(bit, m_kept);
        if (!index)
            return std::nullopt;
        const auto run = std::upper_bound(m_before.begin(), m_before.end(), *index) - 1;
        std::uint64_t at = static_cast<std::uint64_t>(run - m_before.begin()) * kRun;
        for (std::uint64_t left = *index - *run; left > 0 || !isSet(at); ++at)
            left -= isSet(at) ? 1 : 0;
        return readOf(at);
    }
    bool skipsZeros() const override { return true; }
    std::shared_ptr<const ElementOrder> mask() const override { return m_maskOrder; }
    std::uint64_t storedOf(std::uint64_t element) const override { return stored(element); }
    std::uint64_t kept() const override { return m_kept; }
    std::span<const std::byte> maskBits() const override { return m_bits; }
    std::uint64_t maskAt() const override { return m_mask; }
    std::uint64_t valuesAt() const override { return m_at; }

private:
    static constexpr std::uint64_t kRun = 4096;

    bool isSet(std::uint64_t at) const
    {
        return (std::to_integer<unsigned>(m_bits[at / 8]) >> at % 8 & 1U) != 0;
    }
    std::uint64_t rank(std::uint64_t at) const
    {
        return m_before[at / kRun] + countBits(m_bits, at / kRun * kRun, at % kRun);
    }

    std::uint64_t m_kept, m_mask; ///< numbers; byte
    std::shared_ptr<const ElementOrder> m_maskOrder;
    std::shared_ptr<const OperandPlace> m_literal; ///< whose bits are the mask; null: in the file
    std::span<const std::byte> m_bits;
    std::vector<std::uint64_t> m_before; ///< by run of elements: those kept before it
};

} // namespace

std::shared_ptr<const ElementOrder> splatOrder(std::uint64_t elements, unsigned width,
                                               FileOffset at, std::uint64_t stored)
{
    return std::make_shared<SplatOrder>(elements, width, at, stored);
}

std::shared_ptr<const ElementOrder> oneAByteOrder(std::uint64_t elements, unsigned width,
                                                  FileOffset at)
{
    return std::make_shared<WordsOrder>(Shape{1, elements}, width, 8, 1, false, at);
}

std::shared_ptr<const ElementOrder> permutedOrder(Permutation permutation)
{
    return std::make_shared<PermutedOrder>(std::move(permutation));
}

OperandPlace inPieces(OperandPlace place)
{
    if (place.pieces.empty())
        place.pieces = {place.range()};
    return place;
}

namespace {

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

/// The operand read with its axes permuted; axes beyond the permutation stay. Of palette indices
/// `books` says the codebooks along each axis, as read; empty: one.
Operand permutedOperand(Operand operand, std::vector<std::size_t> axes, const Shape &books = {})
{
    for (std::size_t i = axes.size(); i < operand.shape.size(); ++i)
        axes.push_back(i);
    auto order = permutedOrder({operand.shape, axes, bitWidth(operand.type), operand.order,
                                operand.place->dataOffset, books});
    const Shape shape = permuted(operand.shape, axes);
    return orderedOperand(std::move(operand), shape, std::move(order));
}

/// What a mask keeps of `shape`, read with the axes of the whole permuted, and the mask as well.
/// The mask's bits must lie one after another.
bool turnKept(Encoding &encoding, const Shape &shape, const std::vector<std::size_t> &axes,
              const Shape &books)
{
    Operand &mask = *encoding.mask;
    if (const auto *inner = std::get_if<std::shared_ptr<const Encoding>>(&encoding.payload)) {
        const Encoding &made = **inner; // one number for all
        const Operand *splat = storedOperand(made.payload);
        if (splat == nullptr || made.palette || made.scaling || made.mask || made.converts)
            return false;
        encoding.payload = Operand(*splat);
    }
    auto *payload = std::get_if<Operand>(&encoding.payload);
    if (mask.order || payload->place->isLiteral())
        return false;
    const Permutation whole{
        shape, axes, bitWidth(payload->type), payload->order, payload->place->dataOffset, books};
    const auto kept = elementCount(payload->shape).value_or(ElementCount()).value;
    auto order = std::make_shared<KeptValues>(whole, kept, mask);
    *payload = orderedOperand(std::move(*payload), permuted(shape, axes), std::move(order));
    mask = permutedOperand(readAs(std::move(mask), mask.type, shape), axes);
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

Operand wordsOperand(Operand operand, ElementType type, const Shape &matrix, std::uint64_t each,
                     bool down)
{
    operand = readAs(std::move(operand), type, matrix);
    const Shape flat{elementCount(matrix).value_or(ElementCount()).value / matrix.back(),
                     matrix.back()};
    const std::uint64_t word = (each * bitWidth(type) + 31) / 32 * 32;
    auto order = std::make_shared<WordsOrder>(flat, bitWidth(type), word, each, down,
                                              operand.place->dataOffset);
    return orderedOperand(std::move(operand), matrix, std::move(order));
}

bool turnAxes(Encoding &encoding, const std::vector<std::size_t> &axes)
{
    if (encoding.view)
        return false;
    Shape books; // along each axis, where there are several
    Shape indices = encoding.shape;
    if (encoding.palette) {
        Palette &palette = *encoding.palette;
        if (palette.vector > 1) {
            indices[palette.vectorAxis] /= palette.vector;
            palette.vectorAxis = static_cast<std::uint64_t>(
                std::ranges::find(axes, palette.vectorAxis) - axes.begin());
        }
        palette.grid = palette.grid.empty() ? Shape() : permuted(palette.grid, axes);
        if (elementCount(palette.grid).value_or(ElementCount()) != ElementCount(1)) {
            books = palette.grid;
            if (!turnTable(palette.lut, axes))
                return false;
        }
    }
    if (encoding.mask) {
        if (!turnKept(encoding, indices, axes, books))
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
