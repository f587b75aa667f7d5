// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/stored_code.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace kernscope::codec {

namespace {

std::uint64_t signBit(ElementType type)
{
    return std::uint64_t{1} << (bitWidth(type) - 1);
}

/// Magnitude code of the largest finite number.
std::uint64_t largestFinite(ElementType type)
{
    switch (type) {
    case ElementType::Fp16: return 0x7bff;
    case ElementType::Bf16: return 0x7f7f;
    case ElementType::Fp32: return 0x7f7fffff;
    case ElementType::Fp64: return 0x7fefffffffffffff;
    case ElementType::Fp8E4M3Fn: return 0x7e;
    case ElementType::Fp4E2M1: return 7;
    case ElementType::Fp8E8M0: return 0xfe;
    default: return 0x7b; // Fp8E5M2
    }
}

std::uint64_t roundedCode(ElementType type, double value)
{
    switch (type) {
    case ElementType::Fp16: return doubleToHalf(value);
    case ElementType::Bf16: return floatToBfloat16(doubleToFloatOdd(value));
    case ElementType::Fp32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ElementType::Fp64: return std::bit_cast<std::uint64_t>(value);
    case ElementType::Fp8E4M3Fn: return floatToE4m3(doubleToFloatOdd(value));
    case ElementType::Fp4E2M1: return floatToE2m1(doubleToFloatOdd(value));
    case ElementType::Fp8E8M0: return floatToE8m0Up(static_cast<float>(value));
    default: return floatToE5m2(doubleToFloatOdd(value));
    }
}

std::int64_t nearestInteger(ElementType type, double value)
{
    if (std::isnan(value))
        return 0;
    const unsigned width = bitWidth(type);
    const double rounded = std::nearbyint(value);
    if (width == 64) {
        if (type == ElementType::Uint64) {
            if (rounded >= 0x1p64)
                return -1; // the bits of 2^64 - 1
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(std::max(rounded, 0.0)));
        }
        if (rounded >= 0x1p63)
            return INT64_MAX;
        return rounded < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(rounded);
    }
    return static_cast<std::int64_t>(std::clamp(rounded, static_cast<double>(smallestCode(type)),
                                                static_cast<double>(largestCode(type))));
}

} // namespace

std::int64_t smallestCode(ElementType type)
{
    return isSignedInteger(type) ? -(std::int64_t{1} << (bitWidth(type) - 1)) : 0;
}

std::int64_t largestCode(ElementType type)
{
    return (std::int64_t{1} << (bitWidth(type) - (isSignedInteger(type) ? 1 : 0))) - 1;
}

std::int64_t nearestCode(ElementType type, double value)
{
    if (!isFloatingPoint(type))
        return nearestInteger(type, value);
    const std::uint64_t code = roundedCode(type, value);
    const std::uint64_t sign = code & signBit(type);
    if (std::isfinite(value) && (code ^ sign) > largestFinite(type))
        return static_cast<std::int64_t>(sign | largestFinite(type));
    return static_cast<std::int64_t>(code);
}

bool isNaturalRounding(ElementType type, double value, std::int64_t code)
{
    return isFloatingPoint(type) && bitWidth(type) >= 16 &&
           static_cast<std::uint64_t>(code) == roundedCode(type, value);
}

std::vector<std::int64_t> neighbourCodes(ElementType type, std::int64_t code, int reach)
{
    const std::uint64_t sign = signBit(type);
    const auto bits = static_cast<std::uint64_t>(code);
    // Magnitudes with their sign are in the order of the values; both zeros become 0.
    const auto largest = static_cast<std::int64_t>(largestFinite(type));
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    const std::int64_t place = std::min(magnitude, largest) * ((bits & sign) != 0 ? -1 : 1);
    std::vector<std::int64_t> codes;
    for (std::int64_t p = place - reach; p <= place + reach; ++p) {
        if (p < -largest || p > largest)
            continue;
        const auto m = static_cast<std::uint64_t>(p < 0 ? -p : p);
        codes.push_back(static_cast<std::int64_t>(p < 0 ? (m | sign) : m));
    }
    return codes;
}

CodeChoice choose(std::span<const CodeCandidate> candidates, double value)
{
    CodeChoice choice;
    double nearestError = 0;
    for (const CodeCandidate &candidate : candidates) {
        const double v = candidate.value;
        if (std::isnan(v)) {
            if (std::isnan(value) && !choice.nearest)
                choice.nearest = candidate;
            continue;
        }
        if (v <= value && (!choice.below || v > *choice.below))
            choice.below = v;
        if (v >= value && (!choice.above || v < *choice.above))
            choice.above = v;
        const double error = v == value ? 0.0 : std::abs(v - value);
        if (!std::isnan(error) && (!choice.nearest || error < nearestError)) {
            choice.nearest = candidate;
            nearestError = error;
        }
    }
    return choice;
}

ByteChange changeOfCode(std::span<const std::byte> packed, unsigned width, std::uint64_t index,
                        std::int64_t code)
{
    ByteChange change;
    std::array<std::byte, 8> wanted{};
    std::size_t length = 0;
    if (width >= 8) {
        length = width / 8;
        change.offset = index * length;
        std::memcpy(wanted.data(), &code, length);
    } else {
        const std::uint64_t firstByte = index * width / 8;
        const auto inByte = static_cast<unsigned>(index * width % 8);
        length = inByte + width > 8 ? 2 : 1;
        change.offset = firstByte;
        unsigned word = 0;
        for (std::size_t i = 0; i < length; ++i)
            word |= std::to_integer<unsigned>(packed[firstByte + i]) << (8 * i);
        const unsigned mask = ((1u << width) - 1u) << inByte;
        word = (word & ~mask) | ((static_cast<unsigned>(code) << inByte) & mask);
        for (std::size_t i = 0; i < length; ++i)
            wanted[i] = static_cast<std::byte>(word >> (8 * i));
    }
    std::size_t first = 0;
    while (first < length && wanted[first] == packed[change.offset + first])
        ++first;
    while (length > first && wanted[length - 1] == packed[change.offset + length - 1])
        --length;
    change.offset += first;
    change.bytes.assign(wanted.begin() + static_cast<std::ptrdiff_t>(first),
                        wanted.begin() + static_cast<std::ptrdiff_t>(length));
    return change;
}

} // namespace kernscope::codec
