// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/element_place.h"
#include "core/format/catalogue.h"

namespace kernscope {

/// What one byte of a bundle is.
struct ByteField {
    /// "values of encoder_layers_6 +0x40, element 12", "record 0: metadata +0x4, element type
    /// (uint32)"; empty past the end. Names of the file as they are, not made printable.
    std::string text;
    std::size_t section = kNoIndex;
    std::size_t weight = kNoIndex;
    std::size_t operand = kNoIndex;          ///< among Weight::operands(), where the byte is of one
    ByteRange bytes;                         ///< of the field or stored element that holds the byte
    ElementType type = ElementType::Unknown; ///< of the stored element or the field's number
    std::optional<std::uint64_t> stored;     ///< number of the stored element within its part
    std::uint64_t entries = 1;               ///< stored elements that have bits in the byte
    /// The decoded element, where it follows from the place alone (not of the values that a mask
    /// keeps).
    std::optional<std::uint64_t> element;
    bool named = false; ///< a table names the field: header, record, command, register, …
    /// Of that name; the source is empty where no table has it.
    format::Confidence confidence = format::Confidence::Assumed;
    std::string source;
};

/// Costs a search among the sections, whatever the size of the file; of a part in pieces, of its
/// order as well. Of a hardware container it decodes one task. Hold the bundle's read lock. Of
/// several stored elements in the byte all are named, or the one of the decoded `element` alone.
ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset, BoundOrder &order,
                  std::optional<std::uint64_t> element = std::nullopt);
ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset);

/// "zero point", "stored values", "second offset": what people call a part of a weight.
std::string_view partWords(const Weight &weight, codec::PartRole role);
/// "[3, 0, 1, 2]": where an element lies along every axis.
std::string indexText(const Shape &shape, std::uint64_t element);

} // namespace kernscope
