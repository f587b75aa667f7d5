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

} // namespace kernscope::codec
