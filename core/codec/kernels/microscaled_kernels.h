// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: E4M3FN bytes and E2M1 nibbles times powers of two, as fp16.
namespace kernscope::codec {

/// A run of stored elements and the exponents that go with it.
struct MxRun {
    std::span<const std::uint8_t> data; ///< the whole matrix
    std::uint64_t first = 0;            ///< element of `data` that out[0] is
    bool mxfp4 = false;
    /// Exponents from that of out[0] on: one an element, or one for each 32 (groups start at
    /// multiples of 32 of the matrix).
    bool perElement = false;
    std::span<const std::uint8_t> exponents;
    /// Where every element has one: the same as microscaledFactors(), and whether some are NaN.
    std::span<const std::uint16_t> factors;
    bool nanFactors = false;
    /// MXFP4, where every element has one: what microscaledShifts() found, or empty.
    std::span<const std::uint16_t> shifts;
    /// The result outgrows the caches: stored past them where streamsMicroscaled() allows it.
    /// flushStream() is the caller's.
    bool streamed = false;
};

/// fp32 arithmetic, one rounding to fp16.
void microscaledRunToHalf(const MxRun &run, std::span<std::uint16_t> out);

/// What the vector code multiplies elements by, of exponents.size() of them (`out` as long), so
/// that it is worked out once for the 32 rows that share them: powers of two, of which the upper
/// halves of fp32 say all and which take half the room in the first cache. Returns whether some are
/// NaN.
bool microscaledFactors(std::span<const std::uint8_t> exponents, bool mxfp4,
                        std::span<std::uint16_t> out);

/// What is added to the halves of E2M1 elements that are not zero, so that they are multiplied by
/// 2^(exponent - 127), exactly. False, and no use of `out` (as long as `exponents`), where one of
/// them may leave the normal numbers of fp16.
bool microscaledShifts(std::span<const std::uint8_t> exponents, std::span<std::uint16_t> out);

/// Whether the lines of `out` begin where groups do, or whole bytes with an exponent an element.
bool streamsMicroscaled(const MxRun &run, std::span<const std::uint16_t> out);

} // namespace kernscope::codec
