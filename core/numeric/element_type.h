// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// Element types of ML programs and weight files, one enum for both catalogues; the numbers that
/// each container uses for them are the container's own (resources/formats/blob-storage.md).
enum class ElementType : std::uint8_t {
    Unknown,
    Bool,
    String,
    Fp16,
    Fp32,
    Fp64,
    Bf16,
    Fp8E4M3Fn,
    Fp8E5M2,
    Int4,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint1,
    Uint2,
    Uint3,
    Uint4,
    Uint6,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Fp4E2M1,
    Fp8E8M0, ///< of microscaled matrices; no program has them
    Uint5,   ///< codes of old neural networks; no program has them
    Uint7,
    Int2, ///< of Core AI packages
};

/// Notation in program text: "fp16", "uint4", "fp8e4m3fn", …; "unknown" for Unknown.
std::string_view elementTypeName(ElementType type);
/// The reverse; Unknown for a notation that is not one of a program.
ElementType elementTypeFromName(std::string_view name);
/// The same over all types, also those that no program has: for other files' names.
ElementType anyElementTypeFromName(std::string_view name);
/// Bits of one stored element; Bool has 8; 0 for String and Unknown.
unsigned bitWidth(ElementType type);
/// The unsigned type of that width, such as a palette's indices have; Unknown where there is none.
ElementType unsignedType(unsigned bits);
bool isFloatingPoint(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type);

/// Extents of a tensor, outermost first. Empty: a scalar (one element).
using Shape = std::vector<std::uint64_t>;

/// Product of the extents; nothing where it does not fit 64 bits.
std::optional<ElementCount> elementCount(std::span<const std::uint64_t> shape);
/// Bytes that `count` packed elements take, sub-byte ones in one bit stream; nothing on overflow.
std::optional<ByteCount> packedBytes(ElementCount count, ElementType type);
/// "[96, 96, 3, 3]"
std::string shapeText(std::span<const std::uint64_t> shape);

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

/// One reading of the bytes at a place.
struct ByteReading {
    std::string_view name;    ///< "u16"
    std::string value;        ///< empty where the file ends before the last byte of it
    std::string_view meaning; ///< "unsigned 16-bit integer"
    int longest = 0;          ///< characters of the longest value that it can have
    bool ordered = false;     ///< of several bytes, so that their order counts
};

/// The bytes in every reading that weights use, the lowest byte of a number first or (`big`) the
/// highest. Always the same rows in the same order. `bytes` may hold fewer than eight bytes.
std::vector<ByteReading> byteReadings(std::span<const std::byte> bytes, bool big = false);

} // namespace kernscope
