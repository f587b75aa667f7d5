// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <cstdint>
#include <initializer_list>

namespace kernscope {

/// The types of palette indices: 1, 2, 3, 4, 6 and 8 bits.
inline constexpr std::initializer_list<ElementType> kPaletteIndexTypes{
    ElementType::Uint1, ElementType::Uint2, ElementType::Uint3,
    ElementType::Uint4, ElementType::Uint6, ElementType::Uint8};

/// Vector sizes of palettes: 1, 2, 4 and 5 (the mask 0x36 of chapter 25). The shift is guarded: the
/// text leaves open what the compiler does with sizes past its register.
constexpr bool isPaletteVector(std::uint64_t size)
{
    return size < 6 && ((0x36U >> size) & 1U) != 0;
}

} // namespace kernscope
