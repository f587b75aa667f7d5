// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: the loops of the encoders, by vector instructions chosen at run time.
namespace kernscope::codec {

/// Least and largest finite value of a run; 0 and 0 where it has none, and both sides of 0 else.
struct RunRange {
    float least = 0;
    float largest = 0;
};
/// The range of `values`, widened by `before`.
RunRange rangeOf(std::span<const float> values, RunRange before);

/// Codes of the steps scale * (code - zero): the nearest one, ties to even (by the exact quotient),
/// within [low, high]; NaN becomes the zero. `scale` is an fp16 number, low and high are codes of
/// int8 or uint8; out[i] holds the low byte of the code.
struct StepRun {
    float scale = 1;
    std::int32_t zero = 0;
    std::int32_t low = -128;
    std::int32_t high = 127;
    std::size_t ahead = 0; ///< values that far on are wanted next: brought near meanwhile; 0: none
};
void quantizeSteps(std::span<const float> values, const StepRun &steps,
                   std::span<std::uint8_t> out);

/// The definition that quantizeSteps reproduces, for one value.
std::int32_t stepCode(float value, const StepRun &steps);

/// Steps scale * code with codes from `low` to `high` (whole numbers around 0, below 2^22).
struct FitSteps {
    float scale = 1;
    float low = -127;
    float high = 127;
};
/// Sums over values w with masses m and the nearest codes c.
struct FitSums {
    double error = 0;  ///< m (w - scale c)²
    double cross = 0;  ///< m w c
    double square = 0; ///< m c²
};
/// `values` (finite) and `masses` are equally long, a multiple of kFitLanes. The same bits by every
/// instruction set: sums of each eighth value in fp32, a few thousand at a time.
FitSums sumFit(std::span<const float> values, std::span<const float> masses, const FitSteps &steps);
inline constexpr std::size_t kFitLanes = 8;

/// The same for several sizes of steps: sums[i] = sumFit(values, masses, steps[i]).
void sumFits(std::span<const float> values, std::span<const float> masses,
             std::span<const FitSteps> steps, std::span<FitSums> sums);

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
