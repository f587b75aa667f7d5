// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: loops that bring survivors together, by vector instructions chosen at run
/// time. Each writes a bit of `mask` for every value, least significant first, and what is kept
/// into `kept`, which has room for all values and 32 more; a run has a multiple of 8 values, or is
/// the last one of its mask.
namespace kernscope::codec {

/// Halves of the values whose magnitude is at least `threshold` (or NaN) and that are not zero in
/// fp16, one after the other. Returns how many were kept.
std::size_t keepLarge(std::span<const float> values, float threshold, std::span<std::byte> mask,
                      std::span<std::uint16_t> kept);

/// A value that was kept, but whose magnitude is below a limit.
struct NearValue {
    std::uint32_t position = 0; ///< among the values of the run
    std::uint32_t survivor = 0; ///< among those of them that were kept
};
/// How many values were kept, and how many of them are near.
struct KeptCounts {
    std::size_t kept = 0;
    std::size_t near = 0;
};
/// keepLarge that also says which of the values it keeps are below `limit`, in their order. `near`
/// has room for all values.
KeptCounts keepLarge(std::span<const float> values, float threshold, float limit,
                     std::span<std::byte> mask, std::span<std::uint16_t> kept,
                     std::span<NearValue> near);

/// The halves that are not zero. Returns how many.
std::size_t keepNonzero(std::span<const std::uint16_t> halves, std::span<std::byte> mask,
                        std::span<std::uint16_t> kept);

} // namespace kernscope::codec
