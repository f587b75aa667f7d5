// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// w = scale * (q - offset) over runs of equal scales.
namespace kernscope::codec {

/// Scales of a run of elements: element i uses number (phase + i) / block of `scales` and of
/// `offsets` (empty: no offset). With `roundDifference`, q - offset is rounded to fp16 first.
struct ScaleRun {
    std::span<const float> scales;
    std::span<const float> offsets;
    std::uint64_t phase = 0; ///< below `block`
    std::uint64_t block = 1;
    bool roundDifference = false;
    /// The result outgrows the caches: from the first line of each block on it is stored past them.
    /// flushStream() is the caller's.
    bool streamed = false;
};

/// fp32 arithmetic, one rounding of each product to fp16.
void scaleToHalf(std::span<const std::int8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out);
void scaleToHalf(std::span<const std::uint8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out);
/// Nibbles from element `first` of a packed stream on, two's complement or unsigned.
void scaleNibblesToHalf(std::span<const std::byte> stream, std::uint64_t first, bool twosComplement,
                        const ScaleRun &run, std::span<std::uint16_t> out);
/// In place, in fp32.
void scaleFloats(std::span<float> values, const ScaleRun &run);

} // namespace kernscope::codec
