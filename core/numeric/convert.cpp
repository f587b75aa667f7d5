// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/convert.h"

#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::size_t kBlock = 1024; // elements converted at a time, within the first cache

template <class Stored>
Stored loadAt(const std::byte *in, std::size_t index)
{
    Stored value;
    std::memcpy(&value, in + index * sizeof(Stored), sizeof(Stored));
    return value;
}

template <class Stored, class Convert>
void convertWhole(std::span<const std::byte> packed, std::uint64_t first, std::span<float> out,
                  Convert convert)
{
    const std::byte *in = packed.data() + first * sizeof(Stored);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = convert(loadAt<Stored>(in, i));
}

/// What each code of an 8-bit type is in the type of the result.
template <class Out, class Convert>
constexpr std::array<Out, 256> tableOf(Convert convert)
{
    std::array<Out, 256> table{};
    for (unsigned code = 0; code < 256; ++code)
        table[code] = convert(static_cast<std::uint8_t>(code));
    return table;
}

constexpr auto kE4m3Floats = tableOf<float>(e4m3ToFloat);
// NaN without a payload, as the frameworks that write the type convert it.
constexpr auto kE5m2Floats = tableOf<float>([](std::uint8_t code) {
    const float value = e5m2ToFloat(code);
    const float nan = std::bit_cast<float>((code & 0x80U) != 0 ? 0xFFC00000U : 0x7FC00000U);
    return value == value ? value : nan;
});
constexpr auto kE4m3Halves =
    tableOf<std::uint16_t>([](std::uint8_t code) { return floatToHalf(e4m3ToFloat(code)); });
constexpr auto kInt8Halves = tableOf<std::uint16_t>([](std::uint8_t code) {
    return floatToHalf(static_cast<float>(static_cast<std::int8_t>(code)));
});
constexpr auto kUint8Halves =
    tableOf<std::uint16_t>([](std::uint8_t code) { return floatToHalf(static_cast<float>(code)); });

template <class Out>
void lookUp(std::span<const std::byte> packed, std::uint64_t first,
            const std::array<Out, 256> &table, std::span<Out> out)
{
    const std::byte *in = packed.data() + first;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = table[std::to_integer<std::size_t>(in[i])];
}

/// The table of an 8-bit type; null for the others.
const std::array<std::uint16_t, 256> *halfTable(ElementType type)
{
    switch (type) {
    case ElementType::Fp8E4M3Fn: return &kE4m3Halves;
    case ElementType::Int8: return &kInt8Halves;
    case ElementType::Bool:
    case ElementType::Uint8: return &kUint8Halves;
    default: return nullptr;
    }
}

template <class Stored>
void convertNumbers(std::span<const std::byte> packed, std::uint64_t first, std::span<float> out)
{
    convertWhole<Stored>(packed, first, out, [](Stored v) { return static_cast<float>(v); });
}

void convertSubByte(std::span<const std::byte> packed, ElementType type, std::uint64_t first,
                    std::span<float> out)
{
    std::array<std::uint8_t, kBlock> codes;
    for (std::size_t done = 0; done < out.size(); done += kBlock) {
        const std::size_t count = std::min(kBlock, out.size() - done);
        unpackCodes(packed, bitWidth(type), first + done, std::span(codes).first(count));
        const int sign = isSignedInteger(type) ? 1 << (bitWidth(type) - 1) : 0;
        for (std::size_t i = 0; i < count; ++i)
            out[done + i] = static_cast<float>((codes[i] ^ sign) - sign);
    }
}

std::int64_t loadWhole(std::span<const std::byte> packed, unsigned bytes, std::uint64_t index)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, packed.data() + index * bytes, bytes);
    return static_cast<std::int64_t>(bits);
}

std::int64_t signExtend(std::int64_t code, unsigned width)
{
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(code) ^ sign) - sign);
}

} // namespace

void convertToFloat(std::span<const std::byte> packed, ElementType type, std::uint64_t first,
                    std::span<float> out)
{
    switch (type) {
    case ElementType::Fp16: convertHalfToFloat(packed.subspan(2 * first), out); return;
    case ElementType::Fp32: convertNumbers<float>(packed, first, out); return;
    case ElementType::Fp64: convertNumbers<double>(packed, first, out); return;
    case ElementType::Bf16: convertBfloat16ToFloat(packed.subspan(2 * first), out); return;
    case ElementType::Fp8E4M3Fn: lookUp(packed, first, kE4m3Floats, out); return;
    case ElementType::Fp8E5M2: lookUp(packed, first, kE5m2Floats, out); return;
    case ElementType::Int8: convertNumbers<std::int8_t>(packed, first, out); return;
    case ElementType::Int16: convertNumbers<std::int16_t>(packed, first, out); return;
    case ElementType::Int32: convertNumbers<std::int32_t>(packed, first, out); return;
    case ElementType::Int64: convertNumbers<std::int64_t>(packed, first, out); return;
    case ElementType::Bool:
    case ElementType::Uint8: convertNumbers<std::uint8_t>(packed, first, out); return;
    case ElementType::Uint16: convertNumbers<std::uint16_t>(packed, first, out); return;
    case ElementType::Uint32: convertNumbers<std::uint32_t>(packed, first, out); return;
    case ElementType::Uint64: convertNumbers<std::uint64_t>(packed, first, out); return;
    case ElementType::Int4:
    case ElementType::Uint1:
    case ElementType::Uint2:
    case ElementType::Uint3:
    case ElementType::Uint4:
    case ElementType::Uint5:
    case ElementType::Uint6:
    case ElementType::Uint7:
    case ElementType::Int2: convertSubByte(packed, type, first, out); return;
    case ElementType::Fp4E2M1:
    case ElementType::Fp8E8M0:
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<float>(loadValue(packed, type, first + i));
        return;
    case ElementType::Unknown:
    case ElementType::String: break;
    }
    std::ranges::fill(out, 0.0f);
}

void convertToHalf(std::span<const std::byte> packed, ElementType type, std::uint64_t first,
                   std::span<std::uint16_t> out)
{
    if (type == ElementType::Fp16) {
        if (out.size_bytes() >= streamedBytes()) {
            streamCopy(packed.subspan(2 * first, 2 * out.size()),
                       reinterpret_cast<std::byte *>(out.data()));
            flushStream();
        } else if (!out.empty())
            std::memcpy(out.data(), packed.data() + 2 * first, 2 * out.size());
        return;
    }
    if (const auto *table = halfTable(type)) {
        lookUp(packed, first, *table, out);
        return;
    }
    if (type == ElementType::Fp8E5M2) {
        // The upper byte of an fp16 number, NaN included.
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<std::uint16_t>(std::to_integer<unsigned>(packed[first + i]) << 8);
        return;
    }
    std::array<float, kBlock> values;
    for (std::size_t done = 0; done < out.size(); done += kBlock) {
        const std::size_t count = std::min(kBlock, out.size() - done);
        convertToFloat(packed, type, first + done, std::span(values).first(count));
        convertFloatToHalf(std::span(values).first(count), out.subspan(done, count));
    }
}

std::int64_t loadCode(std::span<const std::byte> packed, ElementType type, std::uint64_t index)
{
    const unsigned width = bitWidth(type);
    if (width == 0)
        return 0;
    std::int64_t code = 0;
    if (width >= 8)
        code = loadWhole(packed, width / 8, index);
    else
        code = unpackCode(packed, width, index);
    return isSignedInteger(type) && width < 64 ? signExtend(code, width) : code;
}

double codeValue(ElementType type, std::int64_t code)
{
    switch (type) {
    case ElementType::Fp16: return halfToFloat(static_cast<std::uint16_t>(code));
    case ElementType::Bf16: return bfloat16ToFloat(static_cast<std::uint16_t>(code));
    case ElementType::Fp32: return std::bit_cast<float>(static_cast<std::uint32_t>(code));
    case ElementType::Fp64: return std::bit_cast<double>(code);
    case ElementType::Fp8E4M3Fn: return e4m3ToFloat(static_cast<std::uint8_t>(code));
    case ElementType::Fp8E5M2: return e5m2ToFloat(static_cast<std::uint8_t>(code));
    case ElementType::Fp4E2M1: return e2m1ToFloat(static_cast<std::uint8_t>(code));
    case ElementType::Fp8E8M0: return e8m0ToFloat(static_cast<std::uint8_t>(code));
    case ElementType::Uint64: return static_cast<double>(static_cast<std::uint64_t>(code));
    default: return static_cast<double>(code);
    }
}

std::string codeText(ElementType type, std::int64_t code)
{
    const auto bits = static_cast<std::uint64_t>(code);
    if (isFloatingPoint(type))
        return fmt::format("{:#x}", bits);
    return type == ElementType::Uint64 ? fmt::format("{}", bits) : fmt::format("{}", code);
}

double loadValue(std::span<const std::byte> packed, ElementType type, std::uint64_t index)
{
    return codeValue(type, loadCode(packed, type, index));
}

void roundToType(ElementType type, std::span<float> values)
{
    const auto each = [values](auto round) {
        std::transform(values.begin(), values.end(), values.begin(), round);
    };
    switch (type) {
    case ElementType::Fp32:
    case ElementType::Fp64:
    case ElementType::Unknown:
    case ElementType::String: return;
    case ElementType::Fp16: {
        std::array<std::uint16_t, kBlock> halves;
        for (std::size_t done = 0; done < values.size(); done += kBlock) {
            const auto part = values.subspan(done, std::min(kBlock, values.size() - done));
            convertFloatToHalf(part, std::span(halves).first(part.size()));
            convertHalfToFloat(std::span<const std::uint16_t>(halves).first(part.size()), part);
        }
        return;
    }
    case ElementType::Bf16:
        return each([](float v) { return bfloat16ToFloat(floatToBfloat16(v)); });
    case ElementType::Fp8E4M3Fn: return each([](float v) { return e4m3ToFloat(floatToE4m3(v)); });
    case ElementType::Fp8E5M2: return each([](float v) { return e5m2ToFloat(floatToE5m2(v)); });
    case ElementType::Fp4E2M1: return each([](float v) { return e2m1ToFloat(floatToE2m1(v)); });
    case ElementType::Fp8E8M0: return each([](float v) { return e8m0ToFloat(floatToE8m0Up(v)); });
    case ElementType::Bool: return each([](float v) { return v != 0 ? 1.0f : 0.0f; });
    default: break;
    }
    const auto bits = static_cast<int>(bitWidth(type) - (isSignedInteger(type) ? 1 : 0));
    const float end = std::ldexp(1.0f, bits);
    const float most = bits > 24 ? end : end - 1; // the largest one as fp32
    const float least = isSignedInteger(type) ? -end : 0.0f;
    // Integers have no -0.
    each([=](float v) {
        return std::isnan(v) ? 0.0f : std::clamp(std::trunc(v), least, most) + 0.0f;
    });
}

} // namespace kernscope
