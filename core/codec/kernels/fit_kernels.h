// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

/// Private to the codec: how well steps of one size fit values.
namespace kernscope::codec {

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

} // namespace kernscope::codec
