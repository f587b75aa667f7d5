// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// Vector kernels of the comparison of fp16 values (Highway, chosen at run time).
namespace kernscope::diff {

/// Elements given to a kernel at once: counts of one lane fit 16 bits.
inline constexpr std::size_t kKernelElements = 8192;

/// Sums over the elements that are finite in both, and what the bits say of all.
struct HalfFigures {
    double abs = 0, square = 0, aa = 0, bb = 0, ab = 0, largest = 0;
    /// |a - b| / |a|, elements of zero in a left out. What is known already may be given: the less
    /// has to be divided.
    double largestRelative = 0;
    std::uint64_t finite = 0, equal = 0, zeroed = 0, revived = 0, notFinite = 0;
    std::uint32_t maxUlp = 0;
    std::array<std::uint64_t, 17> ulp{};
};

/// Adds the figures of two runs of as many canonical fp16 values, at most kKernelElements.
void addHalfFigures(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                    HalfFigures &figures);

/// The same in the plainest way: what the vectors leave over, and a reference.
void addHalfFiguresPlainly(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                           HalfFigures &figures);

/// Adds the squares of the values that are finite (twice: to aa, bb and ab) of a run that both
/// sides have alike, and counts it as equal.
void addEqualHalves(std::span<const std::uint16_t> values, HalfFigures &figures);

} // namespace kernscope::diff
