// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/operand_place.h"
#include "core/form/order_layout.h"

/// Orders of constants in Core AI programs (coreai-format.md, sections 6 and 7). As every order of
/// an operand with a place they count from the start of the file: the operand's place then has its
/// range as its only piece (inPieces()).
namespace kernscope::codec {

/// All elements of a tensor are the one that is stored, of `width` bits. No edit: a change would be
/// one of all elements.
std::shared_ptr<const ElementOrder> splatOrder(std::uint64_t elements, unsigned width,
                                               FileOffset at = {});

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
/// The same where only the `kept` elements are stored whose bits are set in the mask at `mask`, a
/// bit an element as stored. Must be bound (ElementOrder::bound) to the bytes that both lie in.
std::shared_ptr<const ElementOrder> keptOrder(Permutation permutation, std::uint64_t kept,
                                              FileOffset mask);

/// A place of one piece.
OperandPlace inPieces(OperandPlace place);

/// The operand read with its axes permuted; axes beyond the permutation stay. Of palette indices
/// `books` says the codebooks along each axis, as read; empty: one.
Operand permutedOperand(Operand operand, std::vector<std::size_t> axes, const Shape &books = {});

/// Permutes the axes of what an encoding makes: of its payload, mask, codebooks and tables, whose
/// operands get orders; axis i of the result is axis `axes[i]` of what was made. False where it has
/// vectors, or parts that do not lie as the whole does; it is then of no use.
bool turnAxes(Encoding &encoding, const std::vector<std::size_t> &axes);

} // namespace kernscope::codec
