// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/element_place.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace kernscope::ui {

/// What one byte of a bundle is.
struct ByteField {
    QString text; ///< "values of encoder_layers_6 +0x40, element 12"; empty past the end
    std::size_t section = kNoIndex;
    std::size_t weight = kNoIndex;
    ByteRange bytes;                         ///< of the field or stored element that holds the byte
    ElementType type = ElementType::Unknown; ///< of the stored element
    std::optional<std::uint64_t> stored;     ///< number of the stored element within its part
    /// The decoded element, where it follows from the place alone (not of the values that a mask
    /// keeps).
    std::optional<std::uint64_t> element;
};

/// Costs a search among the sections, whatever the size of the file; of a part in pieces, of its
/// order as well.
ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset, BoundOrder &order);
ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset);

} // namespace kernscope::ui
