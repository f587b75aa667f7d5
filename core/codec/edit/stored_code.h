// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/numeric/element_type.h"

/// Private to the codec: stored codes of single elements, and the choice of the one to store.
namespace kernscope::codec {

/// The code of `type` whose value is nearest to `value`, ties to even; clamped to the type's finite
/// range, except that infinities and NaN keep what they are where the type has them.
std::int64_t nearestCode(ElementType type, double value);

/// Whether `code` is what any conversion of `value` to `type` gives: types of 16 and more
/// floating-point bits hold every value of their range to within half a step. Always false for the
/// 8-bit formats, whose steps are coarse, and for integers.
bool isNaturalRounding(ElementType type, double value, std::int64_t code);

/// The neighbours of a floating-point code in the order of values, at most `reach` to each side,
/// and the code itself; finite ones only.
std::vector<std::int64_t> neighbourCodes(ElementType type, std::int64_t code, int reach);

/// Smallest and largest code of an integer type of at most 32 bits.
std::int64_t smallestCode(ElementType type);
std::int64_t largestCode(ElementType type);

/// A code that a place can hold, and the value that it then has.
struct CodeCandidate {
    std::int64_t code = 0;
    double value = 0;
};

/// What the candidates offer for a value.
struct CodeChoice {
    std::optional<CodeCandidate> nearest; ///< the first of the nearest
    std::optional<double> below;          ///< largest value not above the asked one
    std::optional<double> above;          ///< smallest value not below it
};
CodeChoice choose(std::span<const CodeCandidate> candidates, double value);

/// The bytes that must be replaced so that element `index` of a packed run becomes `code`, cut to
/// those that change; empty where it is that code already.
struct ByteChange {
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes;
};
ByteChange changeOfCode(std::span<const std::byte> packed, unsigned width, std::uint64_t index,
                        std::int64_t code);

} // namespace kernscope::codec
