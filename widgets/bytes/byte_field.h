// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"

#include <QString>

#include <array>
#include <cstdint>
#include <memory>
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
    /// The decoded element, where it follows from the place alone (not of a mask's survivors).
    std::optional<std::uint64_t> element;
};

/// The order of a part's elements, bound to its bytes where it needs that (slices and masks that
/// leave zeros out are walked once). Keeps the last two, a mask and its values, for the next
/// question; forget them with the bundle. No edit moves a zero of such a part, so edits need not be
/// told.
class BoundOrder
{
public:
    /// Null where the part's elements lie row by row, or its bytes do not fit its order.
    const codec::ElementOrder *of(const Bundle &bundle, const Part &part);
    void clear();

private:
    struct Kept {
        const Part *part = nullptr;
        std::shared_ptr<const codec::ElementOrder> order;
    };
    std::array<Kept, 2> m_kept; ///< the last one first
};

/// Costs a search among the sections, whatever the size of the file; of a part in pieces, of its
/// order as well.
ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset, BoundOrder &order);
ByteField fieldAt(const Bundle &bundle, std::size_t file, FileOffset offset);

/// Where a decoded element is stored: its value, its index, of a sparse weight its own kept value,
/// or the byte of the mask that leaves it out.
struct ElementPlace {
    std::size_t file = kNoIndex;
    ByteRange bytes;
};
std::optional<ElementPlace> placeOfElement(const Bundle &bundle, std::size_t weight,
                                           std::uint64_t element, BoundOrder &order);
std::optional<ElementPlace> placeOfElement(const Bundle &bundle, std::size_t weight,
                                           std::uint64_t element);

} // namespace kernscope::ui
