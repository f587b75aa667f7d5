// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/encoding.h"

namespace kernscope {

namespace mil {
struct Literal;
}

inline constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);

/// A tensor as a file declares it.
struct DeclaredTensor {
    ElementType type = ElementType::Unknown;
    Shape shape;
};

/// Why an edit of an operand is refused.
enum class EditLock : std::uint8_t {
    None,
    ActivationTable,
    OneNumber, ///< one that is stored serves all elements
    Packed,
    AssumedOrder,
    UnknownOrder
};

/// Where the bytes of a stored operand lie: in a weight file, in pieces of a container, or written
/// in the program.
struct OperandPlace {
    ByteCount bytes;
    std::size_t file = kNoIndex; ///< index into Bundle::files(); kNoIndex for a literal
    FileOffset metaOffset;       ///< of its record (blobs)
    FileOffset dataOffset;       ///< of its first byte (blobs)
    bool shared = false;         ///< the same blob serves another operand as well
    EditLock lock = EditLock::None;
    /// What the file declares the bytes to be, where they are read as something else: masks and
    /// indices that are declared as plain bytes, values that are stored for some elements only.
    std::optional<DeclaredTensor> declared;
    /// Literals: their packed bytes and where they are written in the program file.
    std::shared_ptr<const mil::Literal> literal;
    /// Spans of the extents in the program's type, for edits that change the operand's size.
    std::vector<SourceSpan> dimSpans;
    /// Extents of other types that repeat those of this operand: of the const op that it is named
    /// by, and of sparse values those of a joint op's output (there times the palette's vector).
    std::vector<SourceSpan> countSpans;

    /// Of an operand that lies in pieces (slices of engines, groups of a section): each, ascending.
    /// `dataOffset` is that of the first and `bytes` their sum; Operand::bytes then are those of
    /// the whole file, and its order counts from there. Operands that lie among each other (mask
    /// bytes among their values) have the same pieces, and are `shared`.
    std::vector<ByteRange> pieces;
    std::vector<ByteRange> copies; ///< further places that hold the same

    bool isLiteral() const { return file == kNoIndex; }
    /// From the first byte to the last one; of pieces, with what lies between them.
    ByteRange range() const
    {
        return pieces.empty()
                   ? ByteRange{dataOffset, bytes}
                   : ByteRange{dataOffset, ByteCount(pieces.back().end() - dataOffset.value)};
    }
    bool holds(ByteRange run) const; ///< the run lies in it, in one piece or copy of it
    bool overlaps(const OperandPlace &other) const; ///< any byte of theirs is the same one
};

/// In one run of a file that has no records.
OperandPlace placeAt(std::size_t file, ByteRange bytes);
/// Of a literal of that number of bytes.
OperandPlace placeOf(std::shared_ptr<const mil::Literal> literal, ByteCount bytes);

/// An operand of that role whose bytes lie at that place and are what the file declares.
codec::Operand operandAt(codec::PartRole role, ElementType type, Shape shape, OperandPlace place,
                         std::shared_ptr<const codec::ElementOrder> order = nullptr);
/// The operand with its bytes read as another tensor than its file declares.
codec::Operand readAs(codec::Operand operand, ElementType type, Shape shape);

} // namespace kernscope
