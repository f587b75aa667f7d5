// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/operand_place.h"
#include "core/form/order_layout.h"

/// Orders of constants in Core AI programs (coreai-format.md, sections 6 and 7). As every order of
/// an operand with a place they count from the start of the file: the operand's place then has its
/// range as its only piece (inPieces()).
namespace kernscope::codec {

/// All elements of a tensor are the one that is stored, of `width` bits, or the two of a complex
/// number in turn. No edit: a change would be one of all elements.
std::shared_ptr<const ElementOrder> splatOrder(std::uint64_t elements, unsigned width,
                                               FileOffset at = {}, std::uint64_t stored = 1);

/// Codes of `width` bits, fewer than eight, that a writer stored one a byte, in the low bits.
std::shared_ptr<const ElementOrder> oneAByteOrder(std::uint64_t elements, unsigned width,
                                                  FileOffset at = {});

/// Elements of `shape` that are read with its axes permuted: axis i of what is read is axis
/// `axes[i]` of what is stored.
struct Permutation {
    Shape shape; ///< as stored
    std::span<const std::size_t> axes;
    unsigned width = 0; ///< bits of an element
    /// The order of what is stored; null: one after the other from `at` on.
    std::shared_ptr<const ElementOrder> of = nullptr;
    FileOffset at = {};
    Shape books = {}; ///< codebooks along each axis, as read; empty: one
};
std::shared_ptr<const ElementOrder> permutedOrder(Permutation permutation);

/// The order of what a mask keeps and a transpose permutes: mask and values as they are stored.
class KeptOrder
{
public:
    virtual ~KeptOrder() = default;
    virtual std::uint64_t storedOf(std::uint64_t element) const = 0;
    virtual std::uint64_t kept() const = 0;
    virtual std::span<const std::byte> maskBits() const = 0; ///< empty until it is bound
    virtual std::uint64_t maskAt() const = 0;                ///< byte; of values as well
    virtual std::uint64_t valuesAt() const = 0;
};

/// A place of one piece.
OperandPlace inPieces(OperandPlace place);

/// The operand read as rows of `type` (of a matrix, or of several), with `each` elements in as many
/// words of 32 bits as they need: the last words of each row have a rest of none, or of each column
/// where `down`. The shape has elements.
Operand wordsOperand(Operand operand, ElementType type, const Shape &matrix, std::uint64_t each,
                     bool down);

/// Permutes the axes of what an encoding makes: of its payload, mask, codebooks and tables, whose
/// operands get orders; axis i of the result is axis `axes[i]` of what was made. False where it has
/// parts that do not lie as the whole does; it is then of no use.
bool turnAxes(Encoding &encoding, const std::vector<std::size_t> &axes);

} // namespace kernscope::codec
