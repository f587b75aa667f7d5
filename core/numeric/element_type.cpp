// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/element_type.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

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

/// Number of the first bytes, the lowest first or the highest.
template <class T>
std::optional<T> loadNumber(std::span<const std::byte> bytes, bool big = false)
{
    if (bytes.size() < sizeof(T))
        return std::nullopt;
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        const std::size_t place = big ? sizeof(T) - 1 - i : i;
        value =
            static_cast<T>(value | (static_cast<T>(std::to_integer<T>(bytes[i])) << (8 * place)));
    }
    return value;
}

template <class Unsigned, class Shown = Unsigned>
std::string integerText(std::span<const std::byte> bytes, bool big = false)
{
    const auto bits = loadNumber<Unsigned>(bytes, big);
    if (!bits)
        return {};
    using Wide = std::conditional_t<std::is_signed_v<Shown>, std::int64_t, std::uint64_t>;
    return fmt::format("{}", static_cast<Wide>(static_cast<Shown>(*bits)));
}

/// Significant digits; a number that is none has no sign.
std::string realText(double value, int digits)
{
    return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, digits);
}

template <class Bits, class Convert>
std::string realOf(const std::optional<Bits> &bits, Convert convert, int digits)
{
    return bits ? realText(static_cast<double>(convert(*bits)), digits) : std::string();
}

std::string nibbleText(const std::optional<std::uint8_t> &byte, bool isSigned)
{
    if (!byte)
        return {};
    const auto extend = [isSigned](unsigned nibble) {
        return isSigned ? static_cast<int>(nibble ^ 8u) - 8 : static_cast<int>(nibble);
    };
    return fmt::format("{}, {}", extend(*byte & 15u), extend(*byte >> 4));
}

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
    const auto *row = std::ranges::find(kRows, name, &Row::name);
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

std::vector<ByteReading> byteReadings(std::span<const std::byte> bytes, bool big)
{
    const auto byte = loadNumber<std::uint8_t>(bytes);
    const auto half = loadNumber<std::uint16_t>(bytes, big);
    const auto word = loadNumber<std::uint32_t>(bytes, big);
    const auto twice = loadNumber<std::uint64_t>(bytes, big);
    return {
        {"u8", integerText<std::uint8_t>(bytes), "unsigned byte", 3},
        {"i8", integerText<std::uint8_t, std::int8_t>(bytes), "signed byte", 4},
        {"u16", integerText<std::uint16_t>(bytes, big), "unsigned 16-bit integer", 5, true},
        {"i16", integerText<std::uint16_t, std::int16_t>(bytes, big), "signed 16-bit integer", 6,
         true},
        {"u32", integerText<std::uint32_t>(bytes, big), "unsigned 32-bit integer", 10, true},
        {"i32", integerText<std::uint32_t, std::int32_t>(bytes, big), "signed 32-bit integer", 11,
         true},
        {"u64", integerText<std::uint64_t>(bytes, big), "unsigned 64-bit integer", 20, true},
        {"i64", integerText<std::uint64_t, std::int64_t>(bytes, big), "signed 64-bit integer", 20,
         true},
        {"fp16", realOf(half, halfToFloat, 5), "IEEE half precision", 11, true},
        {"bf16", realOf(half, bfloat16ToFloat, 4), "bfloat16", 10, true},
        {"fp32",
         realOf(
             word, [](std::uint32_t bits) { return std::bit_cast<float>(bits); }, 9),
         "IEEE single precision", 15, true},
        {"fp64",
         realOf(
             twice, [](std::uint64_t bits) { return std::bit_cast<double>(bits); }, 12),
         "IEEE double precision", 19, true},
        {"e4m3", realOf(byte, e4m3ToFloat, 4), "fp8 E4M3FN: bias 7, no infinity", 9},
        {"e5m2", realOf(byte, e5m2ToFloat, 4), "fp8 E5M2: bias 15, with infinities", 10},
        {"int4", nibbleText(byte, true), "two signed nibbles, the low one first", 6},
        {"uint4", nibbleText(byte, false), "two unsigned nibbles, the low one first", 6},
        {"bits", byte ? fmt::format("{:08b}", *byte) : std::string(),
         "bits of the byte, the highest first; a mask reads them from the right", 8},
    };
}

} // namespace kernscope
