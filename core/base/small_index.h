// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace kernscope {

/// An index, or none, in half the room: reads and writes as std::size_t, whose largest value stands
/// for none, as does every one from 2^32 - 1 on.
class SmallIndex
{
public:
    constexpr SmallIndex(std::size_t index) noexcept
        : m_index(index < kNone ? static_cast<std::uint32_t>(index) : kNone)
    {
    }
    constexpr operator std::size_t() const noexcept
    {
        return m_index == kNone ? std::numeric_limits<std::size_t>::max() : m_index;
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t m_index;
};

} // namespace kernscope
