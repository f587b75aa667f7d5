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
    bool streamed = false; ///< the result outgrows the caches: stored past them
};

/// fp32 arithmetic, one rounding to fp16.
void microscaledRunToHalf(const MxRun &run, std::span<std::uint16_t> out);

} // namespace kernscope::codec
