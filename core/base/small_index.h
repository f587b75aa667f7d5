// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace kernscope {

/// An index, or none, in little room: reads and writes as std::size_t, whose largest value stands
/// for none, as does every one from the largest of Stored on.
template <class Stored>
class IndexIn
{
public:
    constexpr IndexIn(std::size_t index) noexcept
        : m_index(index < kNone ? static_cast<Stored>(index) : kNone)
    {
    }
    constexpr operator std::size_t() const noexcept
    {
        return m_index == kNone ? std::numeric_limits<std::size_t>::max() : m_index;
    }

private:
    static constexpr Stored kNone = std::numeric_limits<Stored>::max();

    Stored m_index;
};
using SmallIndex = IndexIn<std::uint32_t>; ///< of what a bundle has
using TinyIndex = IndexIn<std::uint16_t>;  ///< of what a weight has

} // namespace kernscope
