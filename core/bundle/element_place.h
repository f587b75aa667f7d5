// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <array>
#include <limits>
#include <map>

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

/// Where the elements of a weight lie in its files.
namespace kernscope::codec {
class MaskIndex;
}

namespace kernscope::mlir {
struct Module;
}
namespace kernscope::odix {
class FieldMap;
}

namespace kernscope {

/// Indices of an element along each axis, row by row.
std::vector<std::uint64_t> elementPlace(const Shape &shape, std::uint64_t element);

/// Whether element i of the operand is element i of the decoded tensor.
bool isElementwise(const Weight &weight, codec::PartRole role);

/// The bytes of a file that hold `width` bits from `bit` on.
ByteRange bitsAsBytes(std::uint64_t bit, std::uint64_t width);

/// The order of an operand's elements, bound to its bytes where it needs that (slices and masks
/// that leave zeros out are walked once). Keeps the last two, a mask and its values, for the next
/// question, and the counts of the last mask; forget them with the bundle, and with every edit: no
/// edit moves a zero of such an operand, but one may set bits of a mask.
class BoundOrder
{
public:
    /// Null where the operand's elements lie row by row, or its bytes do not fit its order.
    const codec::ElementOrder *of(const Bundle &bundle, const codec::Operand &operand);
    /// Counts of a mask whose bits lie row by row: the first question walks it, later ones read 64
    /// bytes. Null where it is larger than countAtMost() says and has not been given: wanted().
    const codec::MaskIndex *ranks(const Bundle &bundle, const codec::Operand &mask,
                                  std::uint64_t bits);
    /// A caller that must not wait counts larger masks elsewhere (countedMask) and gives them.
    void countAtMost(std::uint64_t bits) { m_mostCounted = bits; }
    struct Wanted {
        const codec::Operand *mask = nullptr;
        std::uint64_t bits = 0;
    };
    /// The mask that was asked for last and is still to be counted; null where there is none.
    const Wanted &wanted() const { return m_wanted; }
    void give(const codec::Operand &mask, std::shared_ptr<const codec::MaskIndex> ranks);
    void clear();
    /// The module of a Core AI package, read at the first question; null of other kinds.
    const mlir::Module *module(const Bundle &bundle);
    /// The fields of a compiled program's file, found at the first question; null of other files.
    const odix::FieldMap *fields(const Bundle &bundle, std::size_t file);

private:
    std::shared_ptr<const mlir::Module> m_module;
    std::map<std::size_t, std::shared_ptr<const odix::FieldMap>> m_fields;
    struct Counted {
        const codec::Operand *mask = nullptr;
        std::shared_ptr<const codec::MaskIndex> ranks;
    };
    struct Kept {
        const codec::Operand *operand = nullptr;
        std::shared_ptr<const codec::ElementOrder> order;
    };
    std::array<Kept, 2> m_kept; ///< the last one first
    Counted m_counted;
    Wanted m_wanted;
    std::uint64_t m_mostCounted = std::numeric_limits<std::uint64_t>::max();
};

/// The counts of a mask, ready to be asked. Its bytes are read as they are now, and have to stay.
std::shared_ptr<const codec::MaskIndex> countedMask(const Bundle &bundle,
                                                    const codec::Operand &mask, std::uint64_t bits);

/// Where a decoded element is stored: its value, its index (that of its vector, where an index
/// stands for several elements), of a sparse weight its own kept value, or the byte of the mask
/// that leaves it out. Nothing for what the program writes as a literal.
struct ElementBytes {
    std::size_t file = kNoIndex;
    ByteRange bytes;
};
std::optional<ElementBytes> placeOfElement(const Bundle &bundle, std::size_t weight,
                                           std::uint64_t element, BoundOrder &order);
std::optional<ElementBytes> placeOfElement(const Bundle &bundle, std::size_t weight,
                                           std::uint64_t element);

/// What a byte of a weight's part stores.
struct ByteOwner {
    std::size_t weight = kNoIndex;  ///< index into Bundle::weights()
    std::size_t operand = kNoIndex; ///< and into Weight::operands()
    std::uint64_t entry = 0;        ///< of that part: the first one that has bits in the byte
    /// Decoded elements whose codes (or bits of the mask) have bits in the byte, ascending: the way
    /// back from placeOfElement(). Empty for codebooks, scales and offsets.
    std::vector<std::uint64_t> elements;
};
/// Nothing for bytes of no part of a weight: headers, records, padding. Costs a search; of kept
/// values a walk of the mask.
std::optional<ByteOwner> ownerOfByte(const Bundle &bundle, std::size_t file, FileOffset offset,
                                     BoundOrder &order);
/// The bytes of an entry of a part whose entries lie row by row: a scale, an entry of a codebook.
std::optional<ElementBytes> placeOfEntry(const Bundle &bundle, std::size_t weight,
                                         std::size_t operand, std::uint64_t entry);

} // namespace kernscope
