// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

#include <bit>

/// Runs of numbers between the stored formats and fp32 or fp16, by the widest vector instructions
/// that the processor has (Highway, chosen at run time). The bits are those of half.h on every
/// processor. Stored bytes may lie at any address; nothing outside the spans is read or written.
namespace kernscope {

/// `stored` holds out.size() little-endian fp16 numbers.
void convertHalfToFloat(std::span<const std::byte> stored, std::span<float> out);
void convertHalfToFloat(std::span<const std::uint16_t> stored, std::span<float> out);
/// `stored` holds out.size() little-endian bf16 numbers.
void convertBfloat16ToFloat(std::span<const std::byte> stored, std::span<float> out);
/// out.size() == values.size().
void convertFloatToHalf(std::span<const float> values, std::span<std::uint16_t> out);

/// Elements [first, first + out.size()) of a packed run of any numeric type as fp32, rounded to
/// nearest even where the type has more than 24 significant bits. The elements must lie in it.
void convertToFloat(std::span<const std::byte> packed, ElementType type, std::uint64_t first,
                    std::span<float> out);
/// The same as fp16: one rounding (of 64-bit numbers: of their fp32 value). fp16 keeps its bits.
void convertToHalf(std::span<const std::byte> packed, ElementType type, std::uint64_t first,
                   std::span<std::uint16_t> out);

/// Stored code of one element: the integer's value, or the bits of a floating-point number.
/// (Of uint64, the bits.) The element must lie in `packed`.
std::int64_t loadCode(std::span<const std::byte> packed, ElementType type, std::uint64_t index);
/// Value of one element.
double loadValue(std::span<const std::byte> packed, ElementType type, std::uint64_t index);
/// Value that a stored code of that type stands for.
double codeValue(ElementType type, std::int64_t code);
/// A stored code in full: an integer, or the bits of a floating-point number ("0x3c00").
std::string codeText(ElementType type, std::int64_t code);
/// Whether fp64 has that whole number.
constexpr bool exactInDouble(std::uint64_t magnitude)
{
    return magnitude == 0 || std::bit_width(magnitude) - std::countr_zero(magnitude) <= 53;
}
/// Rounds fp32 numbers to those of a type, in place: to nearest even, of integers towards zero and
/// to the nearest that there is. Types that hold every fp32 number leave them as they are.
void roundToType(ElementType type, std::span<float> values);

} // namespace kernscope
