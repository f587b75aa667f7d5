// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: what elements take for fp32 numbers asked of them, straight from their
/// codes. These settle the ordinary case and give the others up.
namespace kernscope::codec {

/// Numbers stored in fp16 take the nearest one; of two that are equally near, or of two zeros, they
/// keep what they have. `codes`: what they have, at any address; `after`: what they take; `held`:
/// their values then. False where a number is not finite, has no finite number near it, or would be
/// farther off than `worst`: both then hold anything. `changed` grows by the others.
bool takeRounded(std::span<const float> values, std::span<const std::byte> codes, float worst,
                 std::span<std::byte> after, std::span<float> held, std::uint64_t &changed);

/// Whether the steps scale * (code - offset) of all integer codes of at most 8 bits differ, also
/// once they are rounded to fp16, ascend with the code, and are exact in fp32 but for the product:
/// what takeSteps() relies on. As many offsets as scales.
bool areSoundSteps(std::span<const float> scales, std::span<const float> offsets);

/// What elements are asked to become, and their steps. All spans are as long.
struct StepTakeRun {
    std::span<const float> values;
    std::span<const float> scales, offsets; ///< of each element: areSoundSteps()
    float smallest = 0, largest = 0;        ///< codes
    unsigned mask = 0xff;                   ///< bits of a code
    bool toHalf = true;                     ///< values are rounded to fp16
    float absolute = 0, relative = 0;       ///< an element may be off by the larger of the two
    float worst = 0;                        ///< and by this
    /// By how much of it a value may be off what is meant: that of narrowToOdd(), only `toHalf`.
    float spare = 0;
};

/// The values as fp32, rounded to odd where they are none: they are then on the same side of all
/// numbers of fewer bits as before, and less than kOddSpare of themselves away.
void narrowToOdd(std::span<const double> values, std::span<float> out);
inline constexpr float kOddSpare = 0x1p-22f;

/// Elements take the code of the nearest value, of two that are equally near the lower one unless
/// they have the other. `codes`: the low bits of theirs, before and after; `held`: the values
/// after. False where that does not settle each of them, or one would be farther off than it may:
/// both then hold anything. `changed` grows by the elements that took another code.
bool takeSteps(const StepTakeRun &run, std::span<std::uint8_t> codes, std::span<float> held,
               std::uint64_t &changed);

} // namespace kernscope::codec
