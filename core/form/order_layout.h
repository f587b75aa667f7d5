// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <memory>
#include <span>

namespace kernscope::codec {

class ElementOrder;

/// Numbers that say how an order lays its elements out, whatever the place of the operand's pieces
/// in their file. Two orders of the same numbers find every element at the same bit of the pieces
/// strung together, so that the same bytes are the same values.
class LayoutNotes
{
public:
    /// `pieces`: those of the operand, ascending; empty where its bytes are its own.
    explicit LayoutNotes(std::span<const ByteRange> pieces);

    void add(std::uint64_t number) { m_numbers.push_back(number); }
    void add(std::span<const std::uint64_t> numbers);
    /// The kind of an order, and what it says; nothing where there is none.
    void add(const ElementOrder *order);
    void giveUp() { m_whole = false; } ///< the numbers do not tell all
    /// A run of the operand's bytes: where it begins in the pieces strung together. One that does
    /// not lie in them whole makes the notes useless, because its bytes are not compared.
    void addRun(std::uint64_t first, std::uint64_t bytes);
    /// The pieces that begin in a run of the file: each by its distance from the run's start.
    void addPiecesIn(std::uint64_t first, std::uint64_t bytes);

    /// The numbers; nothing where they do not tell all.
    std::optional<std::vector<std::uint64_t>> take();

private:
    std::span<const ByteRange> m_pieces;
    std::vector<std::uint64_t> m_before; ///< by piece: bytes of those before it
    std::vector<std::uint64_t> m_numbers;
    bool m_whole = true;
};

/// A rectangle of consecutive elements whose places rise evenly along both sides: element
/// `row x columns + column` of it lies at bit `bit + row x rowBits + column x columnBits` of the
/// operand's bytes, wherever ElementOrder::positions() says so one by one. One codebook serves all
/// elements of a row.
struct OrderTile {
    std::uint64_t rows = 1, columns = 1;
    std::uint64_t bit = 0;
    std::uint64_t rowBits = 0, columnBits = 0;

    std::uint64_t elements() const { return rows * columns; }
};

/// A rectangle of consecutive elements of two bytes of which only those that a mask names are
/// stored. A column is a group of `lanes` elements, at most eight, of which those that are stored
/// lie one after the other; row r of the rectangle is lane `lane + r`.
struct KeptTile {
    std::uint64_t rows = 1, columns = 1;
    std::uint64_t lanes = 1, lane = 0;
    std::span<const std::byte> mask; ///< of each column a byte, lane 0 the lowest bit; set: stored
    std::uint64_t at = 0;            ///< byte of the first column's first stored element
    std::uint64_t gap = 0; ///< bytes between a column's stored elements and those of the next

    std::uint64_t elements() const { return rows * columns; }
};

/// Where the elements of an operand lie when its bytes are not packed row by row: the slices of a
/// hardware container, the records of a weight section. Immutable, safe to share between threads.
class ElementOrder
{
public:
    virtual ~ElementOrder() = default;

    /// An element that is not stored: a zero made by the form.
    static constexpr std::uint64_t kAbsent = UINT64_MAX;

    /// Bit positions in the operand's bytes of elements [first, first + out.size()) of the tensor.
    virtual void positions(std::uint64_t first, std::span<std::uint64_t> out) const = 0;
    /// True where elements narrower than a byte are packed highest bit first: position 0 then is
    /// the highest bit of the first byte, and an element's first bit is its highest.
    virtual bool highestFirst() const { return false; }
    /// Elements of the tensor.
    virtual std::uint64_t elements() const = 0;
    /// Bytes that the operand must have.
    virtual std::uint64_t extent() const = 0;
    /// Further bit positions that hold the same element; an edit changes them all.
    virtual std::vector<std::uint64_t> copies(std::uint64_t element) const
    {
        static_cast<void>(element);
        return {};
    }
    /// The element that a bit of the operand's bytes is of, in its own place or a copy; nothing
    /// where it is of none (padding, masks, other operands). Of an order that must be bound first:
    /// nothing until then. Costs a search, not a walk.
    virtual std::optional<std::uint64_t> elementAt(std::uint64_t bit) const
    {
        static_cast<void>(bit);
        return std::nullopt;
    }
    /// The codebook that serves an element of palette indices.
    virtual std::uint64_t table(std::uint64_t element) const
    {
        static_cast<void>(element);
        return 0;
    }
    /// Codebooks that table() answers with: at most this many.
    virtual std::uint64_t tables() const { return 1; }
    /// True where which elements are stored depends on the bytes (zeros are left out): an edit
    /// may then neither make a zero nor unmake one.
    virtual bool skipsZeros() const { return false; }
    /// The order over given bytes; null where it does not depend on them. Errors: bytes that are
    /// no such form.
    virtual Result<std::shared_ptr<const ElementOrder>>
    bound(std::span<const std::byte> bytes) const
    {
        static_cast<void>(bytes);
        return std::shared_ptr<const ElementOrder>();
    }
    /// Where the bits lie that say which elements are stored, one an element in the tensor's order
    /// (set: stored), for a form that leaves zeros out (skipsZeros()); null for every other. That
    /// of a bound order is bound as well.
    virtual std::shared_ptr<const ElementOrder> mask() const { return nullptr; }
    /// How it lays its elements out.
    virtual void note(LayoutNotes &notes) const { notes.giveUp(); }

    /// The places of many elements at once, so that they are read in one go: what positions() says
    /// one by one, of numbers of two bytes. The tile that begins with element `first` and has 1 to
    /// `count` elements; both exist. Nothing where these elements lie otherwise, or are narrower:
    /// they are read one by one.
    virtual std::optional<OrderTile> tileAt(std::uint64_t first, std::uint64_t count) const
    {
        static_cast<void>(first);
        static_cast<void>(count);
        return std::nullopt;
    }
    /// The same where zeros are left out. Of an order that must be bound first: nothing until then.
    virtual std::optional<KeptTile> keptAt(std::uint64_t first, std::uint64_t count) const
    {
        static_cast<void>(first);
        static_cast<void>(count);
        return std::nullopt;
    }
    /// Rows and columns of a tile in a tensor whose rows have `rowElements` each: a part of one
    /// row, or whole rows, of which `rowsLeft` are alike from that of `first` on.
    static OrderTile shapeAt(std::uint64_t first, std::uint64_t count, std::uint64_t rowElements,
                             std::uint64_t rowsLeft)
    {
        OrderTile tile;
        const std::uint64_t column = first % rowElements;
        if (column != 0 || count < 2 * rowElements) {
            tile.columns = rowElements - column < count ? rowElements - column : count;
        } else {
            tile.columns = rowElements;
            tile.rows = count / rowElements < rowsLeft ? count / rowElements : rowsLeft;
        }
        return tile;
    }
};

} // namespace kernscope::codec
