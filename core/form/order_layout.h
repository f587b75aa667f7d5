// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"

#include <span>
#include <vector>

namespace kernscope::codec {

/// Numbers that say how an order lays its elements out, whatever the place of the operand's pieces
/// in their file. Two orders of the same numbers find every element at the same bit of the pieces
/// strung together, so that the same bytes are the same values.
class LayoutNotes
{
public:
    /// `pieces`: those of the operand, ascending; empty where its bytes are its own.
    explicit LayoutNotes(std::span<const ByteRange> pieces);

    /// Begins the notes of a kind of order, by a number of its own.
    enum class Kind : std::uint8_t {
        Pieces,
        Slices,
        SparseSlices,
        SparseBiases,
        Coefficients,
        Channels,
        Codebooks,
        Columns,
        HighestFirst,
        Boxes,
        Packed,
        Splat,
        OneAByte,
    };
    void begin(Kind kind) { add(static_cast<std::uint64_t>(kind)); }
    void add(std::uint64_t number) { m_numbers.push_back(number); }
    void add(std::span<const std::uint64_t> numbers);
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

/// An order of elements that can say how it lays them out.
class NotedOrder
{
public:
    virtual ~NotedOrder() = default;
    /// False where it cannot.
    virtual bool note(LayoutNotes &notes) const = 0;
};

} // namespace kernscope::codec
