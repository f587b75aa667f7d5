// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/element_place.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope {

/// One element as a build stores it: what a comparison shows of either side.
struct StoredElement {
    double value = 0;   ///< decoded, at the precision of its type
    bool stored = true; ///< false: a zero that the mask leaves out
    /// Index of a palette, integer of affine and blockwise forms; empty for plain values and where
    /// the element is not stored.
    std::optional<std::int64_t> code;
    /// Of palettes: the codebook, and the value that the entry has for the element's lane before
    /// any scale.
    std::optional<std::uint64_t> codebook;
    std::optional<double> entry;
    /// Where its bits lie, and those bytes; empty for what the program writes as a literal.
    std::optional<ElementBytes> place;
    std::vector<std::byte> bytes;
};

/// `decoder`: that of the weight; `element` must lie in the tensor. Hold the files for reading.
StoredElement readStoredElement(const Bundle &bundle, std::size_t weight,
                                const codec::Decoder &decoder, std::uint64_t element);

} // namespace kernscope
