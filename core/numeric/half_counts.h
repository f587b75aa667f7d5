// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernscope {

/// A finite value that becomes an infinity where it is rounded to fp16.
inline bool isBeyondHalf(double value)
{
    constexpr double kFirst = 65520; // halfway from the largest number to the next step
    return std::isfinite(value) && std::abs(value) >= kFirst;
}

/// How often each of the 65,536 fp16 values occurs. Every figure of a tensor of canonical values
/// follows from it exactly, in one pass of one increment an element, whatever the tensor's size.
class HalfCounts
{
public:
    HalfCounts();

    /// Counts fp16 values by their bits.
    void add(std::span<const std::uint16_t> values);
    /// The counts, by the value's bits.
    std::span<const std::uint64_t> counts();

private:
    void addRun(std::span<const std::uint16_t> run);
    void addEach(std::span<const std::uint16_t> values);

    /// Counts modulo 256, a byte each: those of a weight's usual values stay in the first cache,
    /// which wider ones would not. Two for each value, of even and of odd elements: neighbours of
    /// one value would otherwise wait for each other.
    std::vector<std::uint8_t> m_recent;
    std::vector<std::uint64_t> m_counts; ///< the rest
    /// A value that may be that of many elements, such as the zero of sparse weights. Those are
    /// counted by vectors and left out of the tables, where they would wait for each other.
    std::uint16_t m_common = 0;
};

} // namespace kernscope
