// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/kernels/split_kernels.h"

#include <algorithm>
#include <bit>
#include <cstdint>

/// Private to the codec: the squared error of a run of values around its centre, from the sums over
/// the run. Sources that include it are built without contraction of products and sums, so that the
/// bits are the same in all of them.
namespace kernscope::codec {

/// What an fp16 number adds to a double to round it: 1.5 * 2^42 times the number's power of two
/// leaves 10 bits behind its leading one; subnormal numbers have the last place of 2^-14.
inline constexpr std::uint64_t kDoubleExponent = std::uint64_t{0x7ff} << 52;
inline constexpr std::uint64_t kHalfRounder = (std::uint64_t{42} << 52) + (std::uint64_t{1} << 51);

/// The nearest fp16 number to one that is within their range, ties to even.
inline double toNearestHalf(double value)
{
    constexpr std::uint64_t kSmallest = std::uint64_t{1023 - 14} << 52;
    const std::uint64_t power =
        std::max(std::bit_cast<std::uint64_t>(value) & kDoubleExponent, kSmallest);
    const auto rounder = std::bit_cast<double>(power + kHalfRounder);
    return (value + rounder) - rounder;
}

/// From the sums of the run's masses, of mass x value and of mass x value².
template <RunCentre Centre>
inline double errorAround(double mass, double sum, double square)
{
    const double error = std::max(0.0, square - sum * sum / mass);
    if constexpr (Centre == RunCentre::Mean)
        return error;
    const double middle = sum / mass;
    const double off = toNearestHalf(middle) - middle;
    return error + mass * off * off;
}

} // namespace kernscope::codec
