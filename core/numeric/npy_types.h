// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <cstddef>
#include <optional>
#include <string>

/// What NumPy calls the element types that it has.
namespace kernscope {

/// "<f2", "i1": little-endian; of a single byte there is no order. Empty where NumPy has no such
/// type, or weights pack it otherwise.
std::string numpyTypeName(ElementType type);
/// By NumPy's letter of the kind ('f', 'i', 'u' or 'b') and the bytes of an element; empty where
/// none is.
std::optional<ElementType> numpyElementType(char kind, std::size_t bytes);

} // namespace kernscope
