// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernscope {

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
    void flush();

    /// Neighbours go to different tables: runs of one value would otherwise wait for each other.
    static constexpr std::size_t kTables = 2;
    std::array<std::vector<std::uint32_t>, kTables> m_recent;
    std::uint64_t m_recentElements = 0;
    std::vector<std::uint64_t> m_counts;
};

} // namespace kernscope
