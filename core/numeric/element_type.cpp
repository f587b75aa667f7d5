// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/element_type.h"

#include "core/numeric/palette_widths.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope {

namespace {

struct Row {
    ElementType type;
    std::string_view name;
    unsigned bits;
    char kind; // f: floating point, i: signed, u: unsigned, -: other
};

// resources/formats/blob-storage.md (text names and widths) and programs.md (types without a blob
// code).
// clang-format off
constexpr std::array<Row, 28> kRows{{
    {ElementType::Unknown, "unknown", 0, '-'},
    {ElementType::Bool, "bool", 8, '-'},
    {ElementType::String, "string", 0, '-'},
    {ElementType::Fp16, "fp16", 16, 'f'},
    {ElementType::Fp32, "fp32", 32, 'f'},
    {ElementType::Fp64, "fp64", 64, 'f'},
    {ElementType::Bf16, "bf16", 16, 'f'},
    {ElementType::Fp8E4M3Fn, "fp8e4m3fn", 8, 'f'},
    {ElementType::Fp8E5M2, "fp8e5m2", 8, 'f'},
    {ElementType::Int4, "int4", 4, 'i'},
    {ElementType::Int8, "int8", 8, 'i'},
    {ElementType::Int16, "int16", 16, 'i'},
    {ElementType::Int32, "int32", 32, 'i'},
    {ElementType::Int64, "int64", 64, 'i'},
    {ElementType::Uint1, "uint1", 1, 'u'},
    {ElementType::Uint2, "uint2", 2, 'u'},
    {ElementType::Uint3, "uint3", 3, 'u'},
    {ElementType::Uint4, "uint4", 4, 'u'},
    {ElementType::Uint6, "uint6", 6, 'u'},
    {ElementType::Uint8, "uint8", 8, 'u'},
    {ElementType::Uint16, "uint16", 16, 'u'},
    {ElementType::Uint32, "uint32", 32, 'u'},
    {ElementType::Uint64, "uint64", 64, 'u'},
    {ElementType::Fp4E2M1, "fp4e2m1", 4, 'f'},
    {ElementType::Fp8E8M0, "fp8e8m0", 8, 'f'},
    {ElementType::Uint5, "uint5", 5, 'u'},
    {ElementType::Uint7, "uint7", 7, 'u'},
    {ElementType::Int2, "int2", 2, 'i'},
}};
// clang-format on

constexpr const Row &rowOf(ElementType type)
{
    return kRows[static_cast<std::size_t>(type)];
}

constexpr bool rowsAreInOrder()
{
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].type) != i)
            return false;
    }
    return true;
}
static_assert(rowsAreInOrder());

} // namespace

std::string_view elementTypeName(ElementType type)
{
    return rowOf(type).name;
}

ElementType elementTypeFromName(std::string_view name)
{
    // No program has the last ones: text that names them names no type.
    const ElementType type = anyElementTypeFromName(name);
    return type < ElementType::Fp4E2M1 ? type : ElementType::Unknown;
}

ElementType anyElementTypeFromName(std::string_view name)
{
    const auto *row = std::find_if(kRows.begin(), kRows.end(),
                                   [name](const Row &each) { return each.name == name; });
    return row == kRows.end() ? ElementType::Unknown : row->type;
}

unsigned bitWidth(ElementType type)
{
    return rowOf(type).bits;
}

ElementType unsignedType(unsigned bits)
{
    for (const ElementType type : kPaletteIndexTypes) {
        if (bitWidth(type) == bits)
            return type;
    }
    return ElementType::Unknown;
}

bool isFloatingPoint(ElementType type)
{
    return rowOf(type).kind == 'f';
}

bool isSignedInteger(ElementType type)
{
    return rowOf(type).kind == 'i';
}

bool isUnsignedInteger(ElementType type)
{
    return rowOf(type).kind == 'u';
}

std::optional<ElementCount> elementCount(std::span<const std::uint64_t> shape)
{
    std::uint64_t product = 1;
    for (const std::uint64_t extent : shape) {
        const auto next = checkedMultiply(product, extent);
        if (!next)
            return std::nullopt;
        product = *next;
    }
    return ElementCount(product);
}

std::optional<ByteCount> packedBytes(ElementCount count, ElementType type)
{
    const auto bits = checkedMultiply(count.value, bitWidth(type));
    if (!bits)
        return std::nullopt;
    return ByteCount(*bits / 8 + (*bits % 8 != 0 ? 1 : 0));
}

std::string shapeText(std::span<const std::uint64_t> shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

} // namespace kernscope
