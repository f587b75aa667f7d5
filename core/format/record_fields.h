// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/catalogue.h"
#include "core/numeric/element_type.h"

/// Fields of fixed records, as the tables under resources/tables name them.
namespace kernscope::format {

/// A run of bytes of a record.
struct RecordField {
    std::uint64_t offset = 0, bytes = 0; ///< from the start of the record
    std::string name;
    ElementType type = ElementType::Unknown; ///< of the number that it holds; Unknown: no number
    Confidence confidence = Confidence::Assumed;
    std::string source;

    /// "payload offset (uint64)"; the name alone where it holds no number.
    std::string text() const;
    bool contains(std::uint64_t into) const { return into >= offset && into - offset < bytes; }
};

/// The fields of a record that a table (columns record, offset, bytes, name, type, confidence,
/// source; type may be missing) describes; none where it does not.
std::span<const RecordField> recordFields(std::string_view table, std::string_view record);
/// The one that holds byte `into` of the record; null where none does.
const RecordField *fieldHolding(std::span<const RecordField> fields, std::uint64_t into);

/// A field at its place in a file.
struct PlacedField {
    std::string name; ///< "unit 3: kernel format (uint32)"
    ByteRange bytes;
    ElementType type = ElementType::Unknown;
    Confidence confidence = Confidence::Assumed;
    std::string source;
};
/// The field of the record beginning at `begin` that holds the byte; its name behind "OWNER: ".
/// Empty where none does.
std::optional<PlacedField> placedField(std::string_view table, std::string_view record,
                                       std::uint64_t begin, FileOffset offset,
                                       std::string_view owner);

} // namespace kernscope::format
