// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/operand_place.h"
#include "core/form/order_layout.h"
#include "core/numeric/element_type.h"

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
/// `axes[i]` of what is stored. `of`: the order of what is stored; null: row by row from `at` on,
/// `width` bits each.
std::shared_ptr<const ElementOrder> permutedOrder(const Shape &shape,
                                                  std::span<const std::size_t> axes, unsigned width,
                                                  std::shared_ptr<const ElementOrder> of,
                                                  FileOffset at = {});

/// A place of one piece.
OperandPlace inPieces(OperandPlace place);

} // namespace kernscope::codec
