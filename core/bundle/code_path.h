// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

/// Which entry of which part holds the code of a decoded element, through
/// masks, vectors of a codebook and data that another operation makes. For parts whose elements
/// lie row by row; an order of their own is element_place's.
namespace kernscope {

class BoundOrder;

/// An entry of a stored part: a value, an index, a bit of a mask.
struct CodeEntry {
    const codec::Operand *operand = nullptr;
    std::uint64_t entry = 0;
};

/// The entry that holds the element's code; of an element that is left out, and where the kept
/// values are written in the program, its bit of the mask. Nothing where a part on the way has an
/// order, or has no bytes in a file. Reads the mask up to the element; with `order`, only where
/// that has not counted it yet. Nothing as well where that leaves it to others to count it.
std::optional<CodeEntry> codeOfElement(const Bundle &bundle, const codec::Encoding &encoding,
                                       std::uint64_t element, BoundOrder *order = nullptr);

/// The decoded elements that an entry of a part is the code (or the bit of the mask) of: one, or
/// as many as a vector of the codebook has. Empty for codebooks, scales and offsets, and for
/// entries past the end. Reads the mask up to the entry.
std::vector<std::uint64_t> elementsOfCode(const Bundle &bundle, const codec::Encoding &encoding,
                                          const codec::Operand &operand, std::uint64_t entry);

/// Bits of one entry of a part of the encoding: fewer than its type's for indices and masks that
/// are declared as bytes. 0: unknown.
std::uint64_t entryBits(const codec::Encoding &encoding, const codec::Operand &operand);

} // namespace kernscope
