// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/byte_readings.h"

#include "core/numeric/half.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

namespace kernscope {

namespace {

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
